package io.dedup.testkit.internal.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.Owner;
import io.dedup.store.StoredRecord;
import io.dedup.testkit.internal.scenario.CallForm;
import io.dedup.testkit.internal.scenario.ContractGroup;
import io.dedup.testkit.internal.scenario.EachCallForm;
import io.dedup.testkit.internal.scenario.HeldClaim;
import io.dedup.testkit.internal.scenario.KeyUnderTest;
import io.dedup.testkit.internal.scenario.UniqueNames;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;

/** Which claims succeed, and with which attempt, deaths and lease. */
public abstract class ClaimContract extends ContractGroup {
    @EachCallForm
    @DisplayName("the first claim is attempt 1, without deaths")
    void firstClaim(CallForm form) {
        HeldClaim held = subject(form).acquire();

        assertThat(held.attempt()).isEqualTo(1);
        assertThat(held.deaths()).isZero();
        assertThat(held.tookOver()).isFalse();
        assertThat(held.token()).isPositive();
    }

    @EachCallForm
    @DisplayName("a held key is in flight for all others, for the remaining lease")
    void inFlight(CallForm form) {
        KeyUnderTest subject = subject(form);
        subject.acquire();

        assertInFlight(subject.claim(), KeyUnderTest.LEASE);
        assertInFlight(subject.elsewhere().claim(), KeyUnderTest.LEASE);

        advance(Duration.ofMinutes(20));
        assertInFlight(subject.elsewhere().claim(), Duration.ofMinutes(40));
    }

    @EachCallForm
    @DisplayName("a refused claim leaves the holder's lease, attempt and fingerprint alone")
    void refusedClaimChangesNothing(CallForm form) {
        KeyUnderTest subject = subject(form);
        subject.acquire(RED);
        StoredRecord before = subject.found();

        assertThat(subject.claim(UniqueNames.owner(), BLUE)).isInstanceOf(ClaimResult.Conflict.class);
        assertThat(subject.claim(UniqueNames.owner(), RED)).isInstanceOf(ClaimResult.InFlight.class);

        assertUnchanged(before, subject.found());
    }

    @EachCallForm
    @DisplayName("a lease is live until just before its end, and over exactly at it")
    void leaseBoundary(CallForm form) {
        KeyUnderTest subject = subject(form);
        subject.acquire();

        advance(KeyUnderTest.LEASE.minus(step()));
        assertInFlight(subject.claim(), step());

        advance(step());
        HeldClaim second = subject.acquire();
        assertThat(second.attempt()).isEqualTo(2);
        assertThat(second.deaths()).isEqualTo(1);
        assertThat(second.tookOver()).isTrue();
    }

    @EachCallForm
    @DisplayName("the shortest lease is over after 1 ms")
    void shortestLease(CallForm form) {
        KeyUnderTest subject = subject(form);
        subject.acquire(new ClaimRequest(subject.key(), UniqueNames.owner(), Duration.ofMillis(1)));

        advance(Duration.ofMillis(1));
        assertThat(subject.acquire().deaths()).isEqualTo(1);
    }

    @EachCallForm
    @DisplayName("a lease may last for months")
    void longLease(CallForm form) {
        KeyUnderTest subject = subject(form);
        Duration lease = Duration.ofDays(300);
        subject.acquire(new ClaimRequest(subject.key(), UniqueNames.owner(), lease));

        advance(lease.minus(step()));
        assertInFlight(subject.claim(), step());
        advance(step());
        assertThat(subject.acquire().attempt()).isEqualTo(2);
    }

    @EachCallForm
    @DisplayName("each takeover of a dead lease counts an attempt and a death")
    void deathsAddUp(CallForm form) {
        KeyUnderTest subject = subject(form);
        subject.acquire();

        for (int deaths = 1; deaths <= 4; deaths++) {
            advance(KeyUnderTest.LEASE);
            HeldClaim next = subject.acquire();
            assertThat(next.attempt()).isEqualTo(deaths + 1);
            assertThat(next.deaths()).isEqualTo(deaths);
            assertThat(next.tookOver()).isTrue();
        }
    }

    @EachCallForm
    @DisplayName("T11 the death of a claim that wasn't made alone counts an attempt and no death, and is a takeover")
    void deathOfManyCountsForNone(CallForm form) {
        KeyUnderTest subject = subject(form);
        subject.acquire(UniqueNames.ownerNotAlone());

        for (int attempt = 2; attempt <= 4; attempt++) {
            advance(KeyUnderTest.LEASE);
            assertTakeover(subject.elsewhere().acquire(UniqueNames.ownerNotAlone()), attempt, 0);
        }
        advance(KeyUnderTest.LEASE);
        assertTakeover(subject.acquire(), 5, 0);
        advance(KeyUnderTest.LEASE);
        assertTakeover(subject.acquire(UniqueNames.ownerNotAlone()), 6, 1);
        advance(KeyUnderTest.LEASE);
        assertTakeover(subject.acquire(), 7, 1);
    }

    @EachCallForm
    @DisplayName("D4 a repeated request that had taken over a claim not made alone gets the same answer again")
    void ownRetriedTakeoverOfMany(CallForm form) {
        KeyUnderTest subject = subject(form);
        subject.acquire(UniqueNames.ownerNotAlone());
        advance(KeyUnderTest.LEASE);
        HeldClaim second = subject.acquire();

        HeldClaim again = subject.elsewhere().acquire(second.owner());

        assertThat(again.answer()).isEqualTo(second.answer());
        assertTakeover(again, 2, 0);
    }

    private static void assertTakeover(HeldClaim held, int attempt, int deaths) {
        assertThat(held.attempt()).as("attempt").isEqualTo(attempt);
        assertThat(held.deaths()).as("deaths").isEqualTo(deaths);
        assertThat(held.tookOver()).as("took over").isTrue();
    }

    @EachCallForm
    @DisplayName("an owner that comes back after its own lease ran out counts as a takeover")
    void sameOwnerAfterItsLease(CallForm form) {
        KeyUnderTest subject = subject(form);
        Owner owner = UniqueNames.owner();
        subject.acquire(owner);
        advance(KeyUnderTest.LEASE);

        HeldClaim again = subject.acquire(owner);

        assertThat(again.attempt()).isEqualTo(2);
        assertThat(again.deaths()).isEqualTo(1);
        assertThat(again.tookOver()).isTrue();
    }

    @EachCallForm
    @DisplayName("D4 a repeated request recognizes its own claim: same attempt and token, lease renewed")
    void ownRetriedRequest(CallForm form) {
        KeyUnderTest subject = subject(form);
        HeldClaim first = subject.acquire();
        advance(Duration.ofMinutes(30));

        HeldClaim again = subject.acquire(first.owner());

        assertThat(again.answer()).isEqualTo(first.answer());
        assertRemaining(subject.found().leaseRemaining(), KeyUnderTest.LEASE);
        advance(Duration.ofMinutes(40)); // past the end of the first lease
        assertInFlight(subject.elsewhere().claim(), Duration.ofMinutes(20));
    }

    @EachCallForm
    @DisplayName("D4 a repeated request through another connection recognizes its own claim")
    void ownRetriedRequestElsewhere(CallForm form) {
        KeyUnderTest subject = subject(form);
        HeldClaim first = subject.acquire();

        assertThat(subject.elsewhere().acquire(first.owner()).answer()).isEqualTo(first.answer());
    }

    @EachCallForm
    @DisplayName("D4 a repeated request that had taken over a dead lease gets the same answer again")
    void ownRetriedTakeover(CallForm form) {
        KeyUnderTest subject = subject(form);
        subject.acquire();
        advance(KeyUnderTest.LEASE);
        HeldClaim second = subject.acquire();

        HeldClaim again = subject.acquire(second.owner());

        assertThat(again.answer()).isEqualTo(second.answer());
        assertThat(again.tookOver()).isTrue();
        assertThat(again.deaths()).isEqualTo(1);
    }

    @EachCallForm
    @DisplayName("D4 a repeated request with a shorter lease sets that lease")
    void ownRetriedRequestSetsItsLease(CallForm form) {
        KeyUnderTest subject = subject(form);
        HeldClaim first = subject.acquire();

        subject.acquire(new ClaimRequest(subject.key(), first.owner(), Duration.ofMinutes(10)));

        assertRemaining(subject.found().leaseRemaining(), Duration.ofMinutes(10));
        advance(Duration.ofMinutes(10));
        assertThat(subject.acquire().tookOver()).isTrue();
    }

    @EachCallForm
    @DisplayName("a done key is already done for all, including its own owner")
    void alreadyDone(CallForm form) {
        KeyUnderTest subject = subject(form);
        HeldClaim held = subject.done(new byte[] {1, 2, 3}, null);
        StoredRecord record = subject.found();

        assertThat(subject.elsewhere().claim()).isInstanceOfSatisfying(ClaimResult.AlreadyDone.class, done -> {
            assertThat(done.attempt()).isEqualTo(1);
            assertThat(done.result()).containsExactly(1, 2, 3);
            assertThat(done.completedAt()).isEqualTo(record.completedAt());
        });
        assertThat(subject.claim(held.owner())).isInstanceOf(ClaimResult.AlreadyDone.class);
        assertUnchanged(record, subject.found());
    }

    @EachCallForm
    @DisplayName("AlreadyDone contains the attempt that completed the key")
    void alreadyDoneTellsTheAttempt(CallForm form) {
        KeyUnderTest subject = subject(form);
        subject.acquire();
        advance(KeyUnderTest.LEASE);
        subject.acquire();
        advance(KeyUnderTest.LEASE);
        KeyUnderTest.assertApplied(subject.complete(subject.acquire()));

        assertThat(subject.claim()).isInstanceOfSatisfying(ClaimResult.AlreadyDone.class, done -> {
            assertThat(done.attempt()).isEqualTo(3);
            assertThat(done.result()).isNull();
        });
    }

    @EachCallForm
    @DisplayName("an unfenced claim is a claim like any other")
    void unfencedClaim(CallForm form) {
        KeyUnderTest subject = subject(form);
        ClaimRequest request = new ClaimRequest(subject.key(), UniqueNames.owner(), KeyUnderTest.LEASE, RED, false);
        HeldClaim held = subject.acquire(request);

        assertThat(held.attempt()).isEqualTo(1);
        assertThat(subject.acquire(request).answer()).as("repeated").isEqualTo(held.answer());
        assertInFlight(subject.elsewhere().claim(), KeyUnderTest.LEASE);
        assertThat(subject.claim(UniqueNames.owner(), BLUE)).isInstanceOf(ClaimResult.Conflict.class);
        advance(KeyUnderTest.LEASE);
        HeldClaim second =
                subject.acquire(new ClaimRequest(subject.key(), UniqueNames.owner(), KeyUnderTest.LEASE, RED, false));
        assertThat(second.attempt()).isEqualTo(2);
        assertThat(second.deaths()).isEqualTo(1);
        KeyUnderTest.assertLeaseLost(subject.complete(held));
        KeyUnderTest.assertApplied(subject.complete(second));
        assertThat(subject.claim(new ClaimRequest(subject.key(), UniqueNames.owner(), KeyUnderTest.LEASE, null, false)))
                .isInstanceOf(ClaimResult.AlreadyDone.class);
    }

    @EachCallForm
    @DisplayName("one message ID in two scopes is two messages")
    void scopesAreApart(CallForm form) {
        KeyUnderTest one = subject(form);
        KeyUnderTest two = subject(form);
        one.acquire();

        KeyUnderTest.assertApplied(two.complete(two.acquire()));

        one.assertInFlight();
        two.assertDone();
    }

    private void assertInFlight(ClaimResult answer, Duration remaining) {
        assertThat(answer)
                .isInstanceOfSatisfying(
                        ClaimResult.InFlight.class, inFlight -> assertRemaining(inFlight.remaining(), remaining));
    }
}
