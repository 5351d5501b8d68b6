package io.dedup.testkit.internal.contract;

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
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.DisplayName;

/** Holding a claim on. */
public abstract class RenewContract extends ContractGroup {
    @EachForm
    @DisplayName("a renewal counts the lease from now, and changes nothing else")
    void renews(Form form) {
        Subject subject = subject(form);
        Held held = subject.acquire(RED);
        advance(Duration.ofMinutes(30));

        Subject.assertApplied(subject.renew(held));

        StoredRecord record = subject.elsewhere().found();
        assertThat(record.state()).isEqualTo(StoredRecord.State.PROCESSING);
        assertRemaining(record.leaseRemaining(), Subject.LEASE);
        assertThat(record.attempt()).isEqualTo(1);
        assertThat(record.deaths()).isZero();
        assertThat(record.fencingToken()).isEqualTo(held.token());
        assertThat(record.owner()).isEqualTo(held.owner());
        assertThat(record.fingerprint()).isEqualTo(RED);

        advance(Subject.LEASE.minus(step()));
        subject.elsewhere().assertInFlight();
        advance(step());
        assertThat(subject.acquire().tookOver()).isTrue();
    }

    @EachForm
    @DisplayName("a renewal may shorten the lease")
    void shortens(Form form) {
        Subject subject = subject(form);
        Held held = subject.acquire();

        Subject.assertApplied(subject.renew(held.claim(), Duration.ofMinutes(10)));

        assertRemaining(subject.found().leaseRemaining(), Duration.ofMinutes(10));
        advance(Duration.ofMinutes(10));
        assertThat(subject.acquire().attempt()).isEqualTo(2);
    }

    @EachForm
    @DisplayName("renewing after the lease ran out works if nobody took over, and counts no death")
    void afterTheLease(Form form) {
        Subject subject = subject(form);
        Held held = subject.acquire();
        advance(Subject.LEASE.plus(Duration.ofMinutes(1)));

        Subject.assertApplied(subject.renew(held));

        subject.elsewhere().assertInFlight();
        assertThat(subject.found().deaths()).isZero();
        Subject.assertApplied(subject.release(held, ReleaseMode.STARTED));
        Held next = subject.acquire();
        assertThat(next.deaths()).isZero();
        assertThat(next.tookOver()).isFalse();
    }

    @EachForm
    @DisplayName("a renewed takeover is still one: given back unstarted it leaves the record dead")
    void renewedTakeover(Form form) {
        Subject subject = subject(form);
        subject.acquire();
        advance(Subject.LEASE);
        Held second = subject.acquire();

        Subject.assertApplied(subject.renew(second));

        assertThat(subject.found().deaths()).isEqualTo(1);
        assertThat(subject.acquire(second.owner()).answer()).isEqualTo(second.answer());
        Subject.assertApplied(subject.release(second, ReleaseMode.NOT_STARTED));
        assertThat(subject.acquire().tookOver()).isTrue();
    }

    @EachForm
    @DisplayName("a claim can be held on for longer than the attempt retention")
    void heldOnAndOn(Form form) {
        Subject subject = subject(form);
        Held held = subject.acquire();
        Duration third = subject.store().attemptRetention().dividedBy(3).truncatedTo(ChronoUnit.MILLIS);

        for (int i = 0; i < 7; i++) {
            advance(third);
            Subject.assertApplied(subject.renew(held));
        }

        subject.elsewhere().assertInFlight();
        Subject.assertApplied(subject.complete(held));
        assertThat(subject.found().attempt()).isEqualTo(1);
    }

    @EachForm
    @DisplayName("only the owner counts: a claim that never got its answer can be renewed")
    void attemptIsNotCompared(Form form) {
        Subject subject = subject(form);
        Held held = subject.acquire();
        advance(Duration.ofMinutes(30));

        Subject.assertApplied(subject.renew(new Claim(subject.key(), held.owner(), 0), Subject.LEASE));

        assertRemaining(subject.found().leaseRemaining(), Subject.LEASE);
    }
}
