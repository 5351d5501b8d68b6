package io.dedup.testkit.internal.contract;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.Window;
import io.dedup.store.ClaimResult;
import io.dedup.store.OperatorResult;
import io.dedup.store.ReleaseMode;
import io.dedup.store.StoredRecord;
import io.dedup.testkit.internal.scenario.ContractGroup;
import io.dedup.testkit.internal.scenario.EachForm;
import io.dedup.testkit.internal.scenario.EachSituation;
import io.dedup.testkit.internal.scenario.Form;
import io.dedup.testkit.internal.scenario.Held;
import io.dedup.testkit.internal.scenario.Owners;
import io.dedup.testkit.internal.scenario.Situation;
import io.dedup.testkit.internal.scenario.Subject;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;

/** forget and forceDone. */
public abstract class OperatorContract extends ContractGroup {
    @EachSituation
    @DisplayName("forget removes what is there, unless a lease is live")
    void forget(Situation situation, Form form) {
        Subject subject = subject(form);
        Held last = situation.arrange(subject, this::advance);
        Optional<StoredRecord> before = subject.find();

        OperatorResult answer = subject.elsewhere().store().forget(subject.key(), false);

        if (situation.isLive()) {
            assertThat(answer).isEqualTo(OperatorResult.LEASE_LIVE);
            assertUnchanged(before.orElseThrow(), subject.found());
            Subject.assertApplied(subject.complete(last));
        } else {
            assertThat(answer).isEqualTo(situation.state() == null ? OperatorResult.ABSENT : OperatorResult.APPLIED);
            assertThat(subject.find()).isEmpty();
            assertRunsAgain(subject);
        }
    }

    @EachSituation
    @DisplayName("a forced forget removes a live lease, too, and its holder has lost it")
    void forcedForget(Situation situation, Form form) {
        Subject subject = subject(form);
        Held last = situation.arrange(subject, this::advance);

        assertThat(subject.elsewhere().store().forget(subject.key(), true))
                .isEqualTo(situation.state() == null ? OperatorResult.ABSENT : OperatorResult.APPLIED);

        assertThat(subject.find()).isEmpty();
        assertLost(subject, last);
        Subject.assertLeaseLost(subject.complete(last.claim(), Subject.WINDOW, null, true));
        assertRunsAgain(subject);
        assertLost(subject, last);
    }

    @EachSituation
    @DisplayName("forceDone makes done what is there or isn't, unless a lease is live")
    void forceDone(Situation situation, Form form) {
        Subject subject = subject(form);
        Held last = situation.arrange(subject, this::advance);
        Optional<StoredRecord> before = subject.find();

        OperatorResult answer = subject.elsewhere().store().forceDone(subject.key(), Subject.WINDOW, false);

        if (situation.isLive()) {
            assertThat(answer).isEqualTo(OperatorResult.LEASE_LIVE);
            assertUnchanged(before.orElseThrow(), subject.found());
            Subject.assertApplied(subject.complete(last));
        } else {
            assertThat(answer).isEqualTo(OperatorResult.APPLIED);
            assertForcedDone(subject, situation);
            assertLost(subject, last);
        }
    }

    @EachSituation
    @DisplayName("a forced forceDone takes a live lease away, too, and its holder has lost it")
    void forcedForceDone(Situation situation, Form form) {
        Subject subject = subject(form);
        Held last = situation.arrange(subject, this::advance);

        assertThat(subject.elsewhere().store().forceDone(subject.key(), Subject.WINDOW, true))
                .isEqualTo(OperatorResult.APPLIED);

        assertForcedDone(subject, situation);
        assertLost(subject, last);
    }

    @EachForm
    @DisplayName("a forced done record ends with its window, and the message is a first attempt then")
    void forceDoneWindow(Form form) {
        Subject subject = subject(form);
        assertThat(store().forceDone(subject.key(), Subject.WINDOW, false)).isEqualTo(OperatorResult.APPLIED);

        advance(Subject.WINDOW_LENGTH.minus(step()));
        subject.elsewhere().assertDone();
        advance(step());
        assertThat(subject.find()).isEmpty();
        assertThat(subject.acquire().attempt()).isEqualTo(1);
    }

    @EachForm
    @DisplayName("forceDone sets the window of a done record anew, from now, be it shorter or for ever")
    void forceDoneSetsTheWindow(Form form) {
        Subject subject = subject(form);
        subject.done(new byte[] {1}, RED);
        advance(Subject.WINDOW_LENGTH.dividedBy(2));

        assertThat(store().forceDone(subject.key(), Subject.WINDOW, false)).isEqualTo(OperatorResult.APPLIED);
        advance(Subject.WINDOW_LENGTH.minus(step()));
        subject.assertDone();

        assertThat(store().forceDone(subject.key(), Window.forever(), false)).isEqualTo(OperatorResult.APPLIED);
        assertThat(subject.found().expiresAt()).isNull();
        advance(Subject.WINDOW_LENGTH.multipliedBy(3));
        subject.assertDone();

        assertThat(store().forceDone(subject.key(), Subject.WINDOW, false)).isEqualTo(OperatorResult.APPLIED);
        advance(Subject.WINDOW_LENGTH);
        assertThat(subject.acquire().attempt()).isEqualTo(1);
    }

    @EachForm
    @DisplayName("an operator's call touches one key only")
    void onlyThatKey(Form form) {
        Subject one = subject(form);
        Subject other = subject(form, one.key().scope(), "order-10");
        Subject held = subject(form, one.key().scope(), "order-%");
        one.done(null, null);
        other.done(new byte[] {3}, RED);
        held.acquire();
        StoredRecord done = other.found();
        StoredRecord live = held.found();

        assertThat(store().forget(one.key(), true)).isEqualTo(OperatorResult.APPLIED);
        assertThat(store().forceDone(one.key(), Window.forever(), true)).isEqualTo(OperatorResult.APPLIED);
        assertThat(store().forget(subject(form, one.key().scope(), "order-_").key(), true))
                .isEqualTo(OperatorResult.ABSENT);
        assertThat(store().forget(subject(form, one.key().scope(), "order-*").key(), true))
                .isEqualTo(OperatorResult.ABSENT);

        assertUnchanged(done, other.found());
        assertUnchanged(live, held.found());
    }

    private void assertForcedDone(Subject subject, Situation situation) {
        StoredRecord record = subject.found();
        assertThat(record.state()).isEqualTo(StoredRecord.State.DONE);
        assertThat(record.attempt()).isEqualTo(situation.attempt());
        assertThat(record.deaths()).isZero();
        assertThat(record.owner()).isNull();
        assertThat(record.result()).isNull();
        assertDistance(requireNonNull(record.completedAt()), requireNonNull(record.expiresAt()), Subject.WINDOW_LENGTH);
        assertThat(subject.claim()).isInstanceOfSatisfying(ClaimResult.AlreadyDone.class, done -> {
            assertThat(done.attempt()).isEqualTo(situation.attempt());
            assertThat(done.result()).isNull();
            assertThat(done.completedAt()).isEqualTo(record.completedAt());
        });
        boolean fingerprinted = situation.state() != null;
        if (fingerprinted) {
            assertThat(subject.claim(Owners.next(), BLUE)).isInstanceOf(ClaimResult.Conflict.class);
        } else {
            assertThat(subject.claim(Owners.next(), BLUE)).isInstanceOf(ClaimResult.AlreadyDone.class);
        }
    }

    private static void assertLost(Subject subject, Held held) {
        Subject.assertLeaseLost(subject.complete(held));
        Subject.assertLeaseLost(subject.renew(held));
        for (ReleaseMode mode : ReleaseMode.values()) {
            Subject.assertLeaseLost(subject.release(held, mode));
        }
    }

    private static void assertRunsAgain(Subject subject) {
        Held next = subject.acquire();
        assertThat(next.attempt()).isEqualTo(1);
        assertThat(next.deaths()).isZero();
        assertThat(next.tookOver()).isFalse();
    }
}
