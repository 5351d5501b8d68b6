package io.dedup.testkit.internal.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.store.Claim;
import io.dedup.store.ReleaseMode;
import io.dedup.store.StoredRecord;
import io.dedup.testkit.internal.scenario.CallForm;
import io.dedup.testkit.internal.scenario.ContractGroup;
import io.dedup.testkit.internal.scenario.EachCallForm;
import io.dedup.testkit.internal.scenario.HeldClaim;
import io.dedup.testkit.internal.scenario.KeyUnderTest;
import io.dedup.testkit.internal.scenario.UniqueNames;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Releasing a claim: which callers may, and what happens to attempts and deaths. */
public abstract class ReleaseContract extends ContractGroup {
    @EachCallForm
    @DisplayName("released after a start: claimable at once, the attempt stays counted")
    void started(CallForm form) {
        KeyUnderTest subject = subject(form);

        KeyUnderTest.assertApplied(subject.release(subject.acquire(), ReleaseMode.STARTED));

        assertReleased(subject, 1, 0);
        assertNext(subject.elsewhere().acquire(), 2, 0, false);
    }

    @EachCallForm
    @DisplayName("released before a start: claimable at once, the attempt is given back")
    void notStarted(CallForm form) {
        KeyUnderTest subject = subject(form);

        KeyUnderTest.assertApplied(subject.release(subject.acquire(), ReleaseMode.NOT_STARTED));

        assertReleased(subject, 0, 0);
        assertNext(subject.elsewhere().acquire(), 1, 0, false);
    }

    @EachCallForm
    @DisplayName("a started takeover keeps its attempt and its death, and the next claim is no takeover")
    void startedTakeover(CallForm form) {
        KeyUnderTest subject = subject(form);
        HeldClaim second = takenOver(subject);

        KeyUnderTest.assertApplied(subject.release(second, ReleaseMode.STARTED));

        assertReleased(subject, 2, 1);
        assertNext(subject.acquire(), 3, 1, false);
    }

    @EachCallForm
    @DisplayName("a takeover given back unstarted leaves the record dead: the next claim counts that death once more")
    void unstartedTakeover(CallForm form) {
        KeyUnderTest subject = subject(form);
        HeldClaim second = takenOver(subject);

        KeyUnderTest.assertApplied(subject.release(second, ReleaseMode.NOT_STARTED));

        StoredRecord dead = subject.found();
        assertThat(dead.state()).isEqualTo(StoredRecord.State.ABANDONED);
        assertThat(dead.attempt()).isEqualTo(1);
        assertThat(dead.deaths()).isZero();
        assertThat(dead.leaseRemaining()).isZero();
        assertNext(subject.elsewhere().acquire(), 2, 1, true);
    }

    @EachCallForm
    @DisplayName("giving a takeover back repeatedly counts nothing")
    void unstartedTakeoverAgainAndAgain(CallForm form) {
        KeyUnderTest subject = subject(form);
        HeldClaim held = takenOver(subject);

        for (int i = 0; i < 5; i++) {
            KeyUnderTest.assertApplied(subject.release(held, ReleaseMode.NOT_STARTED));
            held = subject.acquire();
            assertNext(held, 2, 1, true);
        }

        KeyUnderTest.assertApplied(subject.complete(held));
        assertThat(subject.found().attempt()).isEqualTo(2);
    }

    @EachCallForm
    @DisplayName("a takeover that counted no death is given back as one that counts none, again and again")
    void unstartedTakeoverOfMany(CallForm form) {
        KeyUnderTest subject = subject(form);
        subject.acquire(UniqueNames.ownerNotAlone());
        advance(KeyUnderTest.LEASE);
        HeldClaim held = subject.acquire();

        for (int i = 0; i < 3; i++) {
            assertNext(held, 2, 0, true);
            KeyUnderTest.assertApplied(subject.release(held, ReleaseMode.NOT_STARTED));
            StoredRecord dead = subject.found();
            assertThat(dead.state()).isEqualTo(StoredRecord.State.ABANDONED);
            assertThat(dead.attempt()).isEqualTo(1);
            assertThat(dead.deaths()).isZero();
            held = subject.elsewhere().acquire(i == 0 ? UniqueNames.ownerNotAlone() : UniqueNames.owner());
        }

        assertNext(held, 2, 0, true);
        KeyUnderTest.assertApplied(subject.renew(held));
        advance(KeyUnderTest.LEASE);
        held = subject.acquire(UniqueNames.ownerNotAlone());
        assertNext(held, 3, 1, true);
        KeyUnderTest.assertApplied(subject.release(held, ReleaseMode.NOT_STARTED));
        held = subject.acquire();
        assertNext(held, 3, 1, true);
        KeyUnderTest.assertApplied(subject.release(held, ReleaseMode.STARTED));
        assertReleased(subject, 3, 1);
    }

    @EachCallForm
    @DisplayName(
            "a run that took over a claim not made alone, started and failed: released, and the next claim is no takeover")
    void startedTakeoverOfMany(CallForm form) {
        KeyUnderTest subject = subject(form);
        subject.acquire(UniqueNames.ownerNotAlone());
        advance(KeyUnderTest.LEASE);

        KeyUnderTest.assertApplied(subject.release(subject.acquire(), ReleaseMode.STARTED));

        assertReleased(subject, 2, 0);
        assertNext(subject.acquire(), 3, 0, false);
    }

    @EachCallForm
    @DisplayName("a takeover that counted no death can be completed like any other")
    void completedTakeoverOfMany(CallForm form) {
        KeyUnderTest subject = subject(form);
        subject.acquire(UniqueNames.ownerNotAlone());
        advance(KeyUnderTest.LEASE);

        KeyUnderTest.assertApplied(subject.complete(subject.acquire()));

        StoredRecord done = subject.found();
        assertThat(done.attempt()).isEqualTo(2);
        assertThat(done.completedAt()).isNotNull();
        subject.assertDone();
        advance(KeyUnderTest.WINDOW_LENGTH);
        assertNext(subject.acquire(), 1, 0, false);
    }

    @EachCallForm
    @DisplayName("a conviction gives the attempt back and forgets all deaths")
    void convicted(CallForm form) {
        KeyUnderTest subject = subject(form);
        takenOver(subject);
        advance(KeyUnderTest.LEASE);
        HeldClaim third = subject.acquire();
        assertNext(third, 3, 2, true);

        KeyUnderTest.assertApplied(subject.release(third, ReleaseMode.CONVICTED));

        assertReleased(subject, 2, 0);
        assertNext(subject.elsewhere().acquire(), 3, 0, false);
    }

    @EachCallForm
    @DisplayName("a conviction of an ordinary claim gives the attempt back")
    void convictedWithoutTakeover(CallForm form) {
        KeyUnderTest subject = subject(form);

        KeyUnderTest.assertApplied(subject.release(subject.acquire(), ReleaseMode.CONVICTED));

        assertReleased(subject, 0, 0);
        assertNext(subject.acquire(), 1, 0, false);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(ReleaseMode.class)
    @DisplayName("releasing after the lease has expired works if there was no takeover, and counts no death")
    void afterTheLease(ReleaseMode mode) {
        for (CallForm form : CallForm.values()) {
            KeyUnderTest subject = subject(form);
            HeldClaim held = subject.acquire();
            advance(KeyUnderTest.LEASE.plus(Duration.ofMinutes(1)));

            KeyUnderTest.assertApplied(subject.release(held, mode));

            assertNext(subject.acquire(), mode == ReleaseMode.STARTED ? 2 : 1, 0, false);
        }
    }

    @EachCallForm
    @DisplayName("a release forgets its owner: a second one, a completion and a renewal are refused")
    void afterRelease(CallForm form) {
        for (ReleaseMode mode : ReleaseMode.values()) {
            KeyUnderTest subject = subject(form);
            HeldClaim held = takenOver(subject);
            KeyUnderTest.assertApplied(subject.release(held, mode));
            StoredRecord before = subject.found();

            for (ReleaseMode again : ReleaseMode.values()) {
                KeyUnderTest.assertLeaseLost(subject.release(held, again));
            }
            KeyUnderTest.assertLeaseLost(subject.renew(held));
            KeyUnderTest.assertLeaseLost(subject.complete(held.claim(), KeyUnderTest.WINDOW, null, false));
            KeyUnderTest.assertLeaseLost(subject.complete(held.claim(), KeyUnderTest.WINDOW, null, true));

            assertUnchanged(before, subject.found());
        }
    }

    @EachCallForm
    @DisplayName("an owner that claims again after its release gets a new attempt, not its old claim")
    void sameOwnerAfterRelease(CallForm form) {
        KeyUnderTest subject = subject(form);
        HeldClaim held = subject.acquire();
        KeyUnderTest.assertApplied(subject.release(held, ReleaseMode.STARTED));

        HeldClaim again = subject.acquire(held.owner());

        assertNext(again, 2, 0, false);
        assertThat(again.token()).isGreaterThan(held.token());
    }

    @EachCallForm
    @DisplayName("only the owner counts: a claim that never got its answer can be released")
    void attemptIsNotCompared(CallForm form) {
        KeyUnderTest subject = subject(form);
        HeldClaim held = subject.acquire();

        KeyUnderTest.assertApplied(subject.release(new Claim(subject.key(), held.owner(), 0), ReleaseMode.NOT_STARTED));

        assertNext(subject.acquire(), 1, 0, false);
    }

    /** A key whose first owner died, held by the second. */
    private HeldClaim takenOver(KeyUnderTest subject) {
        subject.acquire();
        advance(KeyUnderTest.LEASE);
        HeldClaim second = subject.acquire();
        assertNext(second, 2, 1, true);
        return second;
    }

    private static void assertReleased(KeyUnderTest subject, int attempt, int deaths) {
        StoredRecord record = subject.found();
        assertThat(record.state()).isEqualTo(StoredRecord.State.RELEASED);
        assertThat(record.attempt()).isEqualTo(attempt);
        assertThat(record.deaths()).isEqualTo(deaths);
        assertThat(record.owner()).isNull();
        assertThat(record.leaseRemaining()).isZero();
        assertThat(record.completedAt()).isNull();
        assertThat(record.expiresAt()).isNull();
        assertThat(record.result()).isNull();
    }

    private static void assertNext(HeldClaim held, int attempt, int deaths, boolean tookOver) {
        assertThat(held.attempt()).as("attempt").isEqualTo(attempt);
        assertThat(held.deaths()).as("deaths").isEqualTo(deaths);
        assertThat(held.tookOver()).as("took over").isEqualTo(tookOver);
    }
}
