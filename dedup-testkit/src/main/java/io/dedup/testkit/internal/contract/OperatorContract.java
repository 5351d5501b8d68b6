package io.dedup.testkit.internal.contract;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.policy.Window;
import io.dedup.store.ClaimResult;
import io.dedup.store.ReleaseMode;
import io.dedup.store.StoredRecord;
import io.dedup.testkit.internal.scenario.CallForm;
import io.dedup.testkit.internal.scenario.ContractGroup;
import io.dedup.testkit.internal.scenario.EachCallForm;
import io.dedup.testkit.internal.scenario.EachSituation;
import io.dedup.testkit.internal.scenario.HeldClaim;
import io.dedup.testkit.internal.scenario.KeyUnderTest;
import io.dedup.testkit.internal.scenario.Situation;
import io.dedup.testkit.internal.scenario.UniqueNames;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;

/** forget and forceDone. */
public abstract class OperatorContract extends ContractGroup {
    @EachSituation
    @DisplayName("forget removes the record, unless a lease is live")
    void forget(Situation situation, CallForm form) {
        KeyUnderTest subject = subject(form);
        HeldClaim last = situation.arrange(subject, this::advance);
        Optional<StoredRecord> before = subject.find();

        OperatorResult answer = subject.elsewhere().store().forget(subject.key(), LiveLease.RESPECT);

        if (situation.isLive()) {
            assertThat(answer).isEqualTo(OperatorResult.LEASE_LIVE);
            assertUnchanged(before.orElseThrow(), subject.found());
            KeyUnderTest.assertApplied(subject.complete(last));
        } else {
            assertThat(answer).isEqualTo(situation.state() == null ? OperatorResult.ABSENT : OperatorResult.APPLIED);
            assertThat(subject.find()).isEmpty();
            assertRunsAgain(subject);
        }
    }

    @EachSituation
    @DisplayName("a forced forget also removes a live lease, which its holder then has lost")
    void forcedForget(Situation situation, CallForm form) {
        KeyUnderTest subject = subject(form);
        HeldClaim last = situation.arrange(subject, this::advance);

        assertThat(subject.elsewhere().store().forget(subject.key(), LiveLease.OVERRIDE))
                .isEqualTo(situation.state() == null ? OperatorResult.ABSENT : OperatorResult.APPLIED);

        assertThat(subject.find()).isEmpty();
        assertLost(subject, last);
        KeyUnderTest.assertLeaseLost(subject.complete(last.claim(), KeyUnderTest.WINDOW, null, true));
        assertRunsAgain(subject);
        assertLost(subject, last);
    }

    @EachSituation
    @DisplayName("forceDone makes a message done, with or without a record, unless a lease is live")
    void forceDone(Situation situation, CallForm form) {
        KeyUnderTest subject = subject(form);
        HeldClaim last = situation.arrange(subject, this::advance);
        Optional<StoredRecord> before = subject.find();

        OperatorResult answer =
                subject.elsewhere().store().forceDone(subject.key(), KeyUnderTest.WINDOW, LiveLease.RESPECT);

        if (situation.isLive()) {
            assertThat(answer).isEqualTo(OperatorResult.LEASE_LIVE);
            assertUnchanged(before.orElseThrow(), subject.found());
            KeyUnderTest.assertApplied(subject.complete(last));
        } else {
            assertThat(answer).isEqualTo(OperatorResult.APPLIED);
            assertForcedDone(subject, situation);
            assertLost(subject, last);
        }
    }

    @EachSituation
    @DisplayName("a forced forceDone also removes a live lease, which its holder then has lost")
    void forcedForceDone(Situation situation, CallForm form) {
        KeyUnderTest subject = subject(form);
        HeldClaim last = situation.arrange(subject, this::advance);

        assertThat(subject.elsewhere().store().forceDone(subject.key(), KeyUnderTest.WINDOW, LiveLease.OVERRIDE))
                .isEqualTo(OperatorResult.APPLIED);

        assertForcedDone(subject, situation);
        assertLost(subject, last);
    }

    @EachCallForm
    @DisplayName("a forced done record expires with its window; the message is a first attempt then")
    void forceDoneWindow(CallForm form) {
        KeyUnderTest subject = subject(form);
        assertThat(store().forceDone(subject.key(), KeyUnderTest.WINDOW, LiveLease.RESPECT))
                .isEqualTo(OperatorResult.APPLIED);

        advance(KeyUnderTest.WINDOW_LENGTH.minus(step()));
        subject.elsewhere().assertDone();
        advance(step());
        assertThat(subject.find()).isEmpty();
        assertThat(subject.acquire().attempt()).isEqualTo(1);
    }

    @EachCallForm
    @DisplayName("forceDone restarts the window of a done record, even if it is shorter or has no end")
    void forceDoneSetsTheWindow(CallForm form) {
        KeyUnderTest subject = subject(form);
        subject.done(new byte[] {1}, RED);
        advance(KeyUnderTest.WINDOW_LENGTH.dividedBy(2));

        assertThat(store().forceDone(subject.key(), KeyUnderTest.WINDOW, LiveLease.RESPECT))
                .isEqualTo(OperatorResult.APPLIED);
        advance(KeyUnderTest.WINDOW_LENGTH.minus(step()));
        subject.assertDone();

        assertThat(store().forceDone(subject.key(), Window.forever(), LiveLease.RESPECT))
                .isEqualTo(OperatorResult.APPLIED);
        assertThat(subject.found().expiresAt()).isNull();
        advance(KeyUnderTest.WINDOW_LENGTH.multipliedBy(3));
        subject.assertDone();

        assertThat(store().forceDone(subject.key(), KeyUnderTest.WINDOW, LiveLease.RESPECT))
                .isEqualTo(OperatorResult.APPLIED);
        advance(KeyUnderTest.WINDOW_LENGTH);
        assertThat(subject.acquire().attempt()).isEqualTo(1);
    }

    @EachCallForm
    @DisplayName("an operator's call touches one key only")
    void onlyThatKey(CallForm form) {
        KeyUnderTest one = subject(form);
        KeyUnderTest other = subject(form, one.key().scope(), "order-10");
        KeyUnderTest held = subject(form, one.key().scope(), "order-%");
        one.done(null, null);
        other.done(new byte[] {3}, RED);
        held.acquire();
        StoredRecord done = other.found();
        StoredRecord live = held.found();

        assertThat(store().forget(one.key(), LiveLease.OVERRIDE)).isEqualTo(OperatorResult.APPLIED);
        assertThat(store().forceDone(one.key(), Window.forever(), LiveLease.OVERRIDE))
                .isEqualTo(OperatorResult.APPLIED);
        assertThat(store().forget(subject(form, one.key().scope(), "order-_").key(), LiveLease.OVERRIDE))
                .isEqualTo(OperatorResult.ABSENT);
        assertThat(store().forget(subject(form, one.key().scope(), "order-*").key(), LiveLease.OVERRIDE))
                .isEqualTo(OperatorResult.ABSENT);

        assertUnchanged(done, other.found());
        assertUnchanged(live, held.found());
    }

    private void assertForcedDone(KeyUnderTest subject, Situation situation) {
        StoredRecord record = subject.found();
        assertThat(record.state()).isEqualTo(StoredRecord.State.DONE);
        assertThat(record.attempt()).isEqualTo(situation.attempt());
        assertThat(record.deaths()).isZero();
        assertThat(record.owner()).isNull();
        assertThat(record.result()).isNull();
        assertDistance(
                requireNonNull(record.completedAt()), requireNonNull(record.expiresAt()), KeyUnderTest.WINDOW_LENGTH);
        assertThat(subject.claim()).isInstanceOfSatisfying(ClaimResult.AlreadyDone.class, done -> {
            assertThat(done.attempt()).isEqualTo(situation.attempt());
            assertThat(done.result()).isNull();
            assertThat(done.completedAt()).isEqualTo(record.completedAt());
        });
        boolean fingerprinted = situation.state() != null;
        if (fingerprinted) {
            assertThat(subject.claim(UniqueNames.owner(), BLUE)).isInstanceOf(ClaimResult.Conflict.class);
        } else {
            assertThat(subject.claim(UniqueNames.owner(), BLUE)).isInstanceOf(ClaimResult.AlreadyDone.class);
        }
    }

    private static void assertLost(KeyUnderTest subject, HeldClaim held) {
        KeyUnderTest.assertLeaseLost(subject.complete(held));
        KeyUnderTest.assertLeaseLost(subject.renew(held));
        for (ReleaseMode mode : ReleaseMode.values()) {
            KeyUnderTest.assertLeaseLost(subject.release(held, mode));
        }
    }

    private static void assertRunsAgain(KeyUnderTest subject) {
        HeldClaim next = subject.acquire();
        assertThat(next.attempt()).isEqualTo(1);
        assertThat(next.deaths()).isZero();
        assertThat(next.tookOver()).isFalse();
    }
}
