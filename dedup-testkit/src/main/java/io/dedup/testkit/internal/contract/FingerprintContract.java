package io.dedup.testkit.internal.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.Fingerprint;
import io.dedup.store.ClaimResult;
import io.dedup.testkit.internal.scenario.ContractGroup;
import io.dedup.testkit.internal.scenario.EachForm;
import io.dedup.testkit.internal.scenario.EachSituation;
import io.dedup.testkit.internal.scenario.Form;
import io.dedup.testkit.internal.scenario.Held;
import io.dedup.testkit.internal.scenario.Owners;
import io.dedup.testkit.internal.scenario.Situation;
import io.dedup.testkit.internal.scenario.Subject;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;

/** One ID with two payloads: a conflict only where both fingerprints are known. */
public abstract class FingerprintContract extends ContractGroup {
    @EachForm
    @DisplayName("while held: conflict only if both fingerprints are there and differ")
    void held(Form form) {
        assertAnswers(form, false);
    }

    @EachForm
    @DisplayName("when done: conflict only if both fingerprints are there and differ")
    void done(Form form) {
        assertAnswers(form, true);
    }

    private void assertAnswers(Form form, boolean done) {
        Class<? extends ClaimResult> same = done ? ClaimResult.AlreadyDone.class : ClaimResult.InFlight.class;
        Subject red = with(form, RED, done);
        assertThat(red.claim(Owners.next(), BLUE)).isInstanceOf(ClaimResult.Conflict.class);
        assertThat(red.elsewhere().claim(Owners.next(), BLUE)).isInstanceOf(ClaimResult.Conflict.class);
        assertThat(red.claim(Owners.next(), new Fingerprint("RED"))).isInstanceOf(ClaimResult.Conflict.class);
        assertThat(red.claim(Owners.next(), RED)).isInstanceOf(same);
        assertThat(red.claim(Owners.next(), null)).isInstanceOf(same);

        Subject none = with(form, null, done);
        assertThat(none.claim(Owners.next(), RED)).isInstanceOf(same);
        assertThat(none.claim(Owners.next(), null)).isInstanceOf(same);
    }

    private Subject with(Form form, @Nullable Fingerprint fingerprint, boolean done) {
        Subject subject = subject(form);
        Held held = subject.acquire(fingerprint);
        if (done) {
            Subject.assertApplied(subject.complete(held));
        }
        return subject;
    }

    @EachForm
    @DisplayName("the owner's own repeated request is never a conflict, and keeps the first fingerprint")
    void ownRetriedRequest(Form form) {
        Subject subject = subject(form);
        Held held = subject.acquire(RED);

        assertThat(subject.acquire(held.owner(), BLUE).answer()).isEqualTo(held.answer());
        assertThat(subject.acquire(held.owner(), null).answer()).isEqualTo(held.answer());

        assertThat(subject.found().fingerprint()).isEqualTo(RED);
        assertThat(subject.claim(Owners.next(), BLUE)).isInstanceOf(ClaimResult.Conflict.class);
    }

    @EachForm
    @DisplayName("renewing and completing keep the fingerprint of the claim")
    void keptByRenewalAndCompletion(Form form) {
        Subject subject = subject(form);
        Held held = subject.acquire(RED);
        Subject.assertApplied(subject.renew(held));
        assertThat(subject.claim(Owners.next(), BLUE)).isInstanceOf(ClaimResult.Conflict.class);
        Subject.assertApplied(subject.complete(held));

        assertThat(subject.claim(Owners.next(), BLUE)).isInstanceOf(ClaimResult.Conflict.class);
        assertThat(subject.found().fingerprint()).isEqualTo(RED);
    }

    @EachSituation
    @DisplayName("a claimable record is no conflict, and takes the new claim's fingerprint")
    void claimableTakesTheNewOne(Situation situation, Form form) {
        if (situation.isLive() || situation.isDone()) {
            Subject subject = subject(form);
            situation.arrange(subject, this::advance);
            assertThat(subject.claim(Owners.next(), BLUE)).isInstanceOf(ClaimResult.Conflict.class);
            return;
        }
        Subject subject = subject(form);
        situation.arrange(subject, this::advance);

        Held held = subject.acquire(BLUE);

        assertThat(subject.found().fingerprint()).isEqualTo(BLUE);
        assertThat(subject.claim(Owners.next(), RED)).isInstanceOf(ClaimResult.Conflict.class);
        Subject.assertApplied(subject.complete(held));
        assertThat(subject.claim(Owners.next(), RED)).isInstanceOf(ClaimResult.Conflict.class);
        assertThat(subject.claim(Owners.next(), BLUE)).isInstanceOf(ClaimResult.AlreadyDone.class);
    }

    @EachSituation
    @DisplayName("a claimable record claimed without a fingerprint has none any more")
    void claimableTakesNone(Situation situation, Form form) {
        Subject subject = subject(form);
        situation.arrange(subject, this::advance);

        if (subject.claim(Owners.next(), null) instanceof ClaimResult.Acquired) {
            assertThat(subject.found().fingerprint()).isNull();
            assertThat(subject.claim(Owners.next(), BLUE)).isInstanceOf(ClaimResult.InFlight.class);
        } else {
            assertThat(situation.isLive() || situation.isDone()).isTrue();
        }
    }

    @EachForm
    @DisplayName("the longest fingerprint is kept whole")
    void longest(Form form) {
        Fingerprint one = new Fingerprint("f".repeat(63) + "1");
        Fingerprint two = new Fingerprint("f".repeat(63) + "2");
        Subject subject = subject(form);
        subject.acquire(one);

        assertThat(subject.found().fingerprint()).isEqualTo(one);
        assertThat(subject.claim(Owners.next(), two)).isInstanceOf(ClaimResult.Conflict.class);
        assertThat(subject.claim(Owners.next(), one)).isInstanceOf(ClaimResult.InFlight.class);
    }
}
