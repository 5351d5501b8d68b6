package io.dedup.testkit.internal.contract;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.store.Claim;
import io.dedup.store.ReleaseMode;
import io.dedup.store.StoredRecord;
import io.dedup.testkit.internal.scenario.CallForm;
import io.dedup.testkit.internal.scenario.ContractGroup;
import io.dedup.testkit.internal.scenario.EachCallForm;
import io.dedup.testkit.internal.scenario.HeldClaim;
import io.dedup.testkit.internal.scenario.KeyUnderTest;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.DisplayName;

/** PROCESSING to DONE. */
public abstract class CompleteContract extends ContractGroup {
    @EachCallForm
    @DisplayName("a completed record is done, with its attempt, its window and no deaths")
    void completes(CallForm form) {
        KeyUnderTest subject = subject(form);
        subject.acquire();
        advance(KeyUnderTest.LEASE);
        HeldClaim second = subject.acquire(RED);

        KeyUnderTest.assertApplied(subject.complete(second.claim(), KeyUnderTest.WINDOW, new byte[] {7}, false));

        StoredRecord record = subject.elsewhere().found();
        assertThat(record.state()).isEqualTo(StoredRecord.State.DONE);
        assertThat(record.attempt()).isEqualTo(2);
        assertThat(record.deaths()).isZero();
        assertThat(record.fencingToken()).isZero();
        assertThat(record.leaseRemaining()).isZero();
        assertThat(record.fingerprint()).isEqualTo(RED);
        assertThat(record.result()).containsExactly(7);
        assertDistance(
                requireNonNull(record.completedAt()), requireNonNull(record.expiresAt()), KeyUnderTest.WINDOW_LENGTH);
    }

    @EachCallForm
    @DisplayName("completion times are as far apart as the completions were")
    void completionTimes(CallForm form) {
        KeyUnderTest early = subject(form);
        KeyUnderTest late = subject(form);
        early.done(null, null);
        advance(Duration.ofHours(5));
        late.done(null, null);

        Instant earlier = requireNonNull(early.found().completedAt());
        Instant later = requireNonNull(late.found().completedAt());
        assertElapsed(Duration.between(earlier, later), Duration.ofHours(5));
    }

    @EachCallForm
    @DisplayName("completing after the lease has expired works if there was no takeover")
    void afterTheLease(CallForm form) {
        KeyUnderTest subject = subject(form);
        HeldClaim held = subject.acquire();
        advance(KeyUnderTest.LEASE.plus(Duration.ofMinutes(1)));

        KeyUnderTest.assertApplied(subject.complete(held));

        subject.assertDone();
        assertThat(subject.found().attempt()).isEqualTo(1);
    }

    @EachCallForm
    @DisplayName("only the owner counts: a claim that never got its answer can be completed")
    void attemptIsNotCompared(CallForm form) {
        KeyUnderTest subject = subject(form);
        HeldClaim held = subject.acquire();

        KeyUnderTest.assertApplied(
                subject.complete(new Claim(subject.key(), held.owner(), 0), KeyUnderTest.WINDOW, null, false));

        assertThat(subject.found().attempt()).isEqualTo(1);
    }

    @EachCallForm
    @DisplayName("completing twice is refused, and changes nothing")
    void twice(CallForm form) {
        KeyUnderTest subject = subject(form);
        HeldClaim held = subject.done(new byte[] {1}, null);
        StoredRecord before = subject.found();
        advance(Duration.ofHours(1));

        KeyUnderTest.assertLeaseLost(subject.complete(held.claim(), KeyUnderTest.WINDOW, new byte[] {2}, false));

        assertSameButOlder(before, subject.found());
    }

    @EachCallForm
    @DisplayName("D4 a repeated completion by the same attempt counts as applied, and changes nothing")
    void repeated(CallForm form) {
        KeyUnderTest subject = subject(form);
        HeldClaim held = subject.done(new byte[] {1}, null);
        StoredRecord before = subject.found();
        advance(Duration.ofHours(1));

        KeyUnderTest.assertApplied(subject.complete(held.claim(), KeyUnderTest.WINDOW, new byte[] {2}, true));
        KeyUnderTest.assertApplied(subject.elsewhere().complete(held.claim(), KeyUnderTest.WINDOW, null, true));

        assertSameButOlder(before, subject.found());
    }

    @EachCallForm
    @DisplayName("D4 a repeated completion whose first request was lost completes")
    void repeatedButNeverApplied(CallForm form) {
        KeyUnderTest subject = subject(form);
        HeldClaim held = subject.acquire();

        KeyUnderTest.assertApplied(subject.complete(held.claim(), KeyUnderTest.WINDOW, new byte[] {1}, true));

        assertThat(subject.found().result()).containsExactly(1);
    }

    @EachCallForm
    @DisplayName("a repeated completion is refused if another attempt has completed the record")
    void repeatedByAnotherAttempt(CallForm form) {
        KeyUnderTest subject = subject(form);
        HeldClaim first = subject.acquire();
        advance(KeyUnderTest.LEASE);
        HeldClaim second = subject.acquire();
        KeyUnderTest.assertApplied(subject.complete(second));

        KeyUnderTest.assertLeaseLost(subject.complete(first.claim(), KeyUnderTest.WINDOW, null, true));
        KeyUnderTest.assertLeaseLost(
                subject.complete(new Claim(subject.key(), first.owner(), 0), KeyUnderTest.WINDOW, null, true));
    }

    @EachCallForm
    @DisplayName("a repeated completion is refused while another owner holds the record, even with the same attempt")
    void repeatedWhileHeldByAnother(CallForm form) {
        KeyUnderTest subject = subject(form);
        HeldClaim first = subject.acquire();
        KeyUnderTest.assertApplied(subject.release(first, ReleaseMode.NOT_STARTED));
        HeldClaim second = subject.acquire();
        assertThat(second.attempt()).isEqualTo(first.attempt());

        KeyUnderTest.assertLeaseLost(subject.complete(first.claim(), KeyUnderTest.WINDOW, null, true));

        KeyUnderTest.assertApplied(subject.complete(second));
    }

    @EachCallForm
    @DisplayName("a repeated completion is refused once the window is over")
    void repeatedAfterTheWindow(CallForm form) {
        KeyUnderTest subject = subject(form);
        HeldClaim held = subject.done(null, null);
        advance(KeyUnderTest.WINDOW_LENGTH);

        KeyUnderTest.assertLeaseLost(subject.complete(held.claim(), KeyUnderTest.WINDOW, null, true));

        assertThat(subject.find()).isEmpty();
    }

    @EachCallForm
    @DisplayName("a done record cannot be released, renewed or un-done by its owner")
    void doneStaysDone(CallForm form) {
        KeyUnderTest subject = subject(form);
        HeldClaim held = subject.done(new byte[] {1}, RED);
        StoredRecord before = subject.found();

        for (ReleaseMode mode : ReleaseMode.values()) {
            KeyUnderTest.assertLeaseLost(subject.release(held, mode));
        }
        KeyUnderTest.assertLeaseLost(subject.renew(held));

        assertUnchanged(before, subject.found());
    }

    private static void assertSameButOlder(StoredRecord before, StoredRecord after) {
        assertThat(after.state()).isEqualTo(StoredRecord.State.DONE);
        assertThat(after.attempt()).isEqualTo(before.attempt());
        assertThat(after.result()).isEqualTo(before.result());
        // Both may have moved if advancing makes records older; their distance shows whether the record was rewritten.
        assertThat(Duration.between(requireNonNull(after.completedAt()), requireNonNull(after.expiresAt())))
                .isEqualTo(Duration.between(requireNonNull(before.completedAt()), requireNonNull(before.expiresAt())));
    }
}
