package io.dedup.testkit.internal.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.Owner;
import io.dedup.store.StoredRecord;
import io.dedup.testkit.internal.scenario.ContractGroup;
import io.dedup.testkit.internal.scenario.EachForm;
import io.dedup.testkit.internal.scenario.Form;
import io.dedup.testkit.internal.scenario.Held;
import io.dedup.testkit.internal.scenario.Owners;
import io.dedup.testkit.internal.scenario.Subject;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;

/** Who gets a claim, and with which attempt, deaths and lease. */
public abstract class ClaimContract extends ContractGroup {
    @EachForm
    @DisplayName("the first claim is attempt 1, without deaths")
    void firstClaim(Form form) {
        Held held = subject(form).acquire();

        assertThat(held.attempt()).isEqualTo(1);
        assertThat(held.deaths()).isZero();
        assertThat(held.tookOver()).isFalse();
        assertThat(held.token()).isPositive();
    }

    @EachForm
    @DisplayName("a held key is in flight for everybody else, for as long as is left of the lease")
    void inFlight(Form form) {
        Subject subject = subject(form);
        subject.acquire();

        assertInFlight(subject.claim(), Subject.LEASE);
        assertInFlight(subject.elsewhere().claim(), Subject.LEASE);

        advance(Duration.ofMinutes(20));
        assertInFlight(subject.elsewhere().claim(), Duration.ofMinutes(40));
    }

    @EachForm
    @DisplayName("a refused claim leaves the holder's lease, attempt and fingerprint alone")
    void refusedClaimChangesNothing(Form form) {
        Subject subject = subject(form);
        subject.acquire(RED);
        StoredRecord before = subject.found();

        assertThat(subject.claim(Owners.next(), BLUE)).isInstanceOf(ClaimResult.Conflict.class);
        assertThat(subject.claim(Owners.next(), RED)).isInstanceOf(ClaimResult.InFlight.class);

        assertUnchanged(before, subject.found());
    }

    @EachForm
    @DisplayName("a lease is live until just before its end, and over exactly at it")
    void leaseBoundary(Form form) {
        Subject subject = subject(form);
        subject.acquire();

        advance(Subject.LEASE.minus(step()));
        assertInFlight(subject.claim(), step());

        advance(step());
        Held second = subject.acquire();
        assertThat(second.attempt()).isEqualTo(2);
        assertThat(second.deaths()).isEqualTo(1);
        assertThat(second.tookOver()).isTrue();
    }

    @EachForm
    @DisplayName("the shortest lease is over after 1 ms")
    void shortestLease(Form form) {
        Subject subject = subject(form);
        subject.acquire(new ClaimRequest(subject.key(), Owners.next(), Duration.ofMillis(1)));

        advance(Duration.ofMillis(1));
        assertThat(subject.acquire().deaths()).isEqualTo(1);
    }

    @EachForm
    @DisplayName("a lease may last for months")
    void longLease(Form form) {
        Subject subject = subject(form);
        Duration lease = Duration.ofDays(300);
        subject.acquire(new ClaimRequest(subject.key(), Owners.next(), lease));

        advance(lease.minus(step()));
        assertInFlight(subject.claim(), step());
        advance(step());
        assertThat(subject.acquire().attempt()).isEqualTo(2);
    }

    @EachForm
    @DisplayName("each takeover of a dead lease counts an attempt and a death")
    void deathsAddUp(Form form) {
        Subject subject = subject(form);
        subject.acquire();

        for (int deaths = 1; deaths <= 4; deaths++) {
            advance(Subject.LEASE);
            Held next = subject.acquire();
            assertThat(next.attempt()).isEqualTo(deaths + 1);
            assertThat(next.deaths()).isEqualTo(deaths);
            assertThat(next.tookOver()).isTrue();
        }
    }

    @EachForm
    @DisplayName("an owner that comes back after its own lease ran out counts as a takeover")
    void sameOwnerAfterItsLease(Form form) {
        Subject subject = subject(form);
        Owner owner = Owners.next();
        subject.acquire(owner);
        advance(Subject.LEASE);

        Held again = subject.acquire(owner);

        assertThat(again.attempt()).isEqualTo(2);
        assertThat(again.deaths()).isEqualTo(1);
        assertThat(again.tookOver()).isTrue();
    }

    @EachForm
    @DisplayName("D4 a repeated request recognises its own claim: same attempt and token, lease renewed")
    void ownRetriedRequest(Form form) {
        Subject subject = subject(form);
        Held first = subject.acquire();
        advance(Duration.ofMinutes(30));

        Held again = subject.acquire(first.owner());

        assertThat(again.answer()).isEqualTo(first.answer());
        assertRemaining(subject.found().leaseRemaining(), Subject.LEASE);
        advance(Duration.ofMinutes(40)); // past the end of the first lease
        assertInFlight(subject.elsewhere().claim(), Duration.ofMinutes(20));
    }

    @EachForm
    @DisplayName("D4 a repeated request through another connection recognises its own claim")
    void ownRetriedRequestElsewhere(Form form) {
        Subject subject = subject(form);
        Held first = subject.acquire();

        assertThat(subject.elsewhere().acquire(first.owner()).answer()).isEqualTo(first.answer());
    }

    @EachForm
    @DisplayName("D4 a repeated request that had taken over a dead lease is told so again")
    void ownRetriedTakeover(Form form) {
        Subject subject = subject(form);
        subject.acquire();
        advance(Subject.LEASE);
        Held second = subject.acquire();

        Held again = subject.acquire(second.owner());

        assertThat(again.answer()).isEqualTo(second.answer());
        assertThat(again.tookOver()).isTrue();
        assertThat(again.deaths()).isEqualTo(1);
    }

    @EachForm
    @DisplayName("D4 a repeated request with a shorter lease sets that lease")
    void ownRetriedRequestSetsItsLease(Form form) {
        Subject subject = subject(form);
        Held first = subject.acquire();

        subject.acquire(new ClaimRequest(subject.key(), first.owner(), Duration.ofMinutes(10)));

        assertRemaining(subject.found().leaseRemaining(), Duration.ofMinutes(10));
        advance(Duration.ofMinutes(10));
        assertThat(subject.acquire().tookOver()).isTrue();
    }

    @EachForm
    @DisplayName("a done key is already done for everybody, its own owner included")
    void alreadyDone(Form form) {
        Subject subject = subject(form);
        Held held = subject.done(new byte[] {1, 2, 3}, null);
        StoredRecord record = subject.found();

        assertThat(subject.elsewhere().claim()).isInstanceOfSatisfying(ClaimResult.AlreadyDone.class, done -> {
            assertThat(done.attempt()).isEqualTo(1);
            assertThat(done.result()).containsExactly(1, 2, 3);
            assertThat(done.completedAt()).isEqualTo(record.completedAt());
        });
        assertThat(subject.claim(held.owner())).isInstanceOf(ClaimResult.AlreadyDone.class);
        assertUnchanged(record, subject.found());
    }

    @EachForm
    @DisplayName("already done tells the attempt that did it")
    void alreadyDoneTellsTheAttempt(Form form) {
        Subject subject = subject(form);
        subject.acquire();
        advance(Subject.LEASE);
        subject.acquire();
        advance(Subject.LEASE);
        Subject.assertApplied(subject.complete(subject.acquire()));

        assertThat(subject.claim()).isInstanceOfSatisfying(ClaimResult.AlreadyDone.class, done -> {
            assertThat(done.attempt()).isEqualTo(3);
            assertThat(done.result()).isNull();
        });
    }

    @EachForm
    @DisplayName("an unfenced claim is a claim like any other")
    void unfencedClaim(Form form) {
        Subject subject = subject(form);
        ClaimRequest request = new ClaimRequest(subject.key(), Owners.next(), Subject.LEASE, RED, false);
        Held held = subject.acquire(request);

        assertThat(held.attempt()).isEqualTo(1);
        assertThat(subject.acquire(request).answer()).as("repeated").isEqualTo(held.answer());
        assertInFlight(subject.elsewhere().claim(), Subject.LEASE);
        assertThat(subject.claim(Owners.next(), BLUE)).isInstanceOf(ClaimResult.Conflict.class);
        advance(Subject.LEASE);
        Held second = subject.acquire(new ClaimRequest(subject.key(), Owners.next(), Subject.LEASE, RED, false));
        assertThat(second.attempt()).isEqualTo(2);
        assertThat(second.deaths()).isEqualTo(1);
        Subject.assertLeaseLost(subject.complete(held));
        Subject.assertApplied(subject.complete(second));
        assertThat(subject.claim(new ClaimRequest(subject.key(), Owners.next(), Subject.LEASE, null, false)))
                .isInstanceOf(ClaimResult.AlreadyDone.class);
    }

    @EachForm
    @DisplayName("one message ID in two scopes is two messages")
    void scopesAreApart(Form form) {
        Subject one = subject(form);
        Subject two = subject(form);
        one.acquire();

        Subject.assertApplied(two.complete(two.acquire()));

        one.assertInFlight();
        two.assertDone();
    }

    private void assertInFlight(ClaimResult answer, Duration remaining) {
        assertThat(answer)
                .isInstanceOfSatisfying(
                        ClaimResult.InFlight.class, inFlight -> assertRemaining(inFlight.remaining(), remaining));
    }
}
