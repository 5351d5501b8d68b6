package io.dedup.testkit.internal.contract;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.store.Claim;
import io.dedup.store.ReleaseMode;
import io.dedup.store.StoredRecord;
import io.dedup.testkit.internal.scenario.ContractGroup;
import io.dedup.testkit.internal.scenario.EachForm;
import io.dedup.testkit.internal.scenario.Form;
import io.dedup.testkit.internal.scenario.Held;
import io.dedup.testkit.internal.scenario.Subject;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.DisplayName;

/** PROCESSING to DONE. */
public abstract class CompleteContract extends ContractGroup {
    @EachForm
    @DisplayName("a completed record is done, with its attempt, its window and no deaths")
    void completes(Form form) {
        Subject subject = subject(form);
        subject.acquire();
        advance(Subject.LEASE);
        Held second = subject.acquire(RED);

        Subject.assertApplied(subject.complete(second.claim(), Subject.WINDOW, new byte[] {7}, false));

        StoredRecord record = subject.elsewhere().found();
        assertThat(record.state()).isEqualTo(StoredRecord.State.DONE);
        assertThat(record.attempt()).isEqualTo(2);
        assertThat(record.deaths()).isZero();
        assertThat(record.fencingToken()).isZero();
        assertThat(record.leaseRemaining()).isZero();
        assertThat(record.fingerprint()).isEqualTo(RED);
        assertThat(record.result()).containsExactly(7);
        assertDistance(requireNonNull(record.completedAt()), requireNonNull(record.expiresAt()), Subject.WINDOW_LENGTH);
    }

    @EachForm
    @DisplayName("completion times are as far apart as the completions were")
    void completionTimes(Form form) {
        Subject early = subject(form);
        Subject late = subject(form);
        early.done(null, null);
        advance(Duration.ofHours(5));
        late.done(null, null);

        Instant earlier = requireNonNull(early.found().completedAt());
        Instant later = requireNonNull(late.found().completedAt());
        assertElapsed(Duration.between(earlier, later), Duration.ofHours(5));
    }

    @EachForm
    @DisplayName("completing after the lease ran out works if nobody took over")
    void afterTheLease(Form form) {
        Subject subject = subject(form);
        Held held = subject.acquire();
        advance(Subject.LEASE.plus(Duration.ofMinutes(1)));

        Subject.assertApplied(subject.complete(held));

        subject.assertDone();
        assertThat(subject.found().attempt()).isEqualTo(1);
    }

    @EachForm
    @DisplayName("only the owner counts: a claim that never got its answer can be completed")
    void attemptIsNotCompared(Form form) {
        Subject subject = subject(form);
        Held held = subject.acquire();

        Subject.assertApplied(subject.complete(new Claim(subject.key(), held.owner(), 0), Subject.WINDOW, null, false));

        assertThat(subject.found().attempt()).isEqualTo(1);
    }

    @EachForm
    @DisplayName("completing twice is refused, and changes nothing")
    void twice(Form form) {
        Subject subject = subject(form);
        Held held = subject.done(new byte[] {1}, null);
        StoredRecord before = subject.found();
        advance(Duration.ofHours(1));

        Subject.assertLeaseLost(subject.complete(held.claim(), Subject.WINDOW, new byte[] {2}, false));

        assertSameButOlder(before, subject.found());
    }

    @EachForm
    @DisplayName("D4 a repeated completion by the same attempt counts as applied, and changes nothing")
    void repeated(Form form) {
        Subject subject = subject(form);
        Held held = subject.done(new byte[] {1}, null);
        StoredRecord before = subject.found();
        advance(Duration.ofHours(1));

        Subject.assertApplied(subject.complete(held.claim(), Subject.WINDOW, new byte[] {2}, true));
        Subject.assertApplied(subject.elsewhere().complete(held.claim(), Subject.WINDOW, null, true));

        assertSameButOlder(before, subject.found());
    }

    @EachForm
    @DisplayName("D4 a repeated completion whose first request was lost completes")
    void repeatedButNeverApplied(Form form) {
        Subject subject = subject(form);
        Held held = subject.acquire();

        Subject.assertApplied(subject.complete(held.claim(), Subject.WINDOW, new byte[] {1}, true));

        assertThat(subject.found().result()).containsExactly(1);
    }

    @EachForm
    @DisplayName("a repeated completion is refused where another attempt did the work")
    void repeatedByAnotherAttempt(Form form) {
        Subject subject = subject(form);
        Held first = subject.acquire();
        advance(Subject.LEASE);
        Held second = subject.acquire();
        Subject.assertApplied(subject.complete(second));

        Subject.assertLeaseLost(subject.complete(first.claim(), Subject.WINDOW, null, true));
        Subject.assertLeaseLost(
                subject.complete(new Claim(subject.key(), first.owner(), 0), Subject.WINDOW, null, true));
    }

    @EachForm
    @DisplayName("a repeated completion is refused while another owner holds the record, be it the same attempt")
    void repeatedWhileHeldByAnother(Form form) {
        Subject subject = subject(form);
        Held first = subject.acquire();
        Subject.assertApplied(subject.release(first, ReleaseMode.NOT_STARTED));
        Held second = subject.acquire();
        assertThat(second.attempt()).isEqualTo(first.attempt());

        Subject.assertLeaseLost(subject.complete(first.claim(), Subject.WINDOW, null, true));

        Subject.assertApplied(subject.complete(second));
    }

    @EachForm
    @DisplayName("a repeated completion is refused once the window is over")
    void repeatedAfterTheWindow(Form form) {
        Subject subject = subject(form);
        Held held = subject.done(null, null);
        advance(Subject.WINDOW_LENGTH);

        Subject.assertLeaseLost(subject.complete(held.claim(), Subject.WINDOW, null, true));

        assertThat(subject.find()).isEmpty();
    }

    @EachForm
    @DisplayName("a done record can't be released, renewed or un-done by its owner")
    void doneStaysDone(Form form) {
        Subject subject = subject(form);
        Held held = subject.done(new byte[] {1}, RED);
        StoredRecord before = subject.found();

        for (ReleaseMode mode : ReleaseMode.values()) {
            Subject.assertLeaseLost(subject.release(held, mode));
        }
        Subject.assertLeaseLost(subject.renew(held));

        assertUnchanged(before, subject.found());
    }

    private static void assertSameButOlder(StoredRecord before, StoredRecord after) {
        assertThat(after.state()).isEqualTo(StoredRecord.State.DONE);
        assertThat(after.attempt()).isEqualTo(before.attempt());
        assertThat(after.result()).isEqualTo(before.result());
        // Both may have moved, where advancing makes records older; their distance tells a rewritten record.
        assertThat(Duration.between(requireNonNull(after.completedAt()), requireNonNull(after.expiresAt())))
                .isEqualTo(Duration.between(requireNonNull(before.completedAt()), requireNonNull(before.expiresAt())));
    }
}
