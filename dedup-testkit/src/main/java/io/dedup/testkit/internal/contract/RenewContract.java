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
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.DisplayName;

/** Renewing a claim. */
public abstract class RenewContract extends ContractGroup {
    @EachCallForm
    @DisplayName("a renewal counts the lease from now, and changes nothing else")
    void renews(CallForm form) {
        KeyUnderTest subject = subject(form);
        HeldClaim held = subject.acquire(RED);
        advance(Duration.ofMinutes(30));

        KeyUnderTest.assertApplied(subject.renew(held));

        StoredRecord record = subject.elsewhere().found();
        assertThat(record.state()).isEqualTo(StoredRecord.State.PROCESSING);
        assertRemaining(record.leaseRemaining(), KeyUnderTest.LEASE);
        assertThat(record.attempt()).isEqualTo(1);
        assertThat(record.deaths()).isZero();
        assertThat(record.fencingToken()).isEqualTo(held.token());
        assertThat(record.owner()).isEqualTo(held.owner());
        assertThat(record.fingerprint()).isEqualTo(RED);

        advance(KeyUnderTest.LEASE.minus(step()));
        subject.elsewhere().assertInFlight();
        advance(step());
        assertThat(subject.acquire().tookOver()).isTrue();
    }

    @EachCallForm
    @DisplayName("a renewal may shorten the lease")
    void shortens(CallForm form) {
        KeyUnderTest subject = subject(form);
        HeldClaim held = subject.acquire();

        KeyUnderTest.assertApplied(subject.renew(held.claim(), Duration.ofMinutes(10)));

        assertRemaining(subject.found().leaseRemaining(), Duration.ofMinutes(10));
        advance(Duration.ofMinutes(10));
        assertThat(subject.acquire().attempt()).isEqualTo(2);
    }

    @EachCallForm
    @DisplayName("renewing after the lease has expired works if there was no takeover, and counts no death")
    void afterTheLease(CallForm form) {
        KeyUnderTest subject = subject(form);
        HeldClaim held = subject.acquire();
        advance(KeyUnderTest.LEASE.plus(Duration.ofMinutes(1)));

        KeyUnderTest.assertApplied(subject.renew(held));

        subject.elsewhere().assertInFlight();
        assertThat(subject.found().deaths()).isZero();
        KeyUnderTest.assertApplied(subject.release(held, ReleaseMode.STARTED));
        HeldClaim next = subject.acquire();
        assertThat(next.deaths()).isZero();
        assertThat(next.tookOver()).isFalse();
    }

    @EachCallForm
    @DisplayName("a renewed takeover remains a takeover: given back unstarted, it leaves the record dead")
    void renewedTakeover(CallForm form) {
        KeyUnderTest subject = subject(form);
        subject.acquire();
        advance(KeyUnderTest.LEASE);
        HeldClaim second = subject.acquire();

        KeyUnderTest.assertApplied(subject.renew(second));

        assertThat(subject.found().deaths()).isEqualTo(1);
        assertThat(subject.acquire(second.owner()).answer()).isEqualTo(second.answer());
        KeyUnderTest.assertApplied(subject.release(second, ReleaseMode.NOT_STARTED));
        assertThat(subject.acquire().tookOver()).isTrue();
    }

    @EachCallForm
    @DisplayName("a claim can be renewed for longer than the attempt retention")
    void heldOnAndOn(CallForm form) {
        KeyUnderTest subject = subject(form);
        HeldClaim held = subject.acquire();
        Duration third = subject.store().attemptRetention().dividedBy(3).truncatedTo(ChronoUnit.MILLIS);

        for (int i = 0; i < 7; i++) {
            advance(third);
            KeyUnderTest.assertApplied(subject.renew(held));
        }

        subject.elsewhere().assertInFlight();
        KeyUnderTest.assertApplied(subject.complete(held));
        assertThat(subject.found().attempt()).isEqualTo(1);
    }

    @EachCallForm
    @DisplayName("only the owner counts: a claim that never got its answer can be renewed")
    void attemptIsNotCompared(CallForm form) {
        KeyUnderTest subject = subject(form);
        HeldClaim held = subject.acquire();
        advance(Duration.ofMinutes(30));

        KeyUnderTest.assertApplied(subject.renew(new Claim(subject.key(), held.owner(), 0), KeyUnderTest.LEASE));

        assertRemaining(subject.found().leaseRemaining(), KeyUnderTest.LEASE);
    }
}
