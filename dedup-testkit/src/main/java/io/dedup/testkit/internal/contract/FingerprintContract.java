package io.dedup.testkit.internal.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.Fingerprint;
import io.dedup.store.ClaimResult;
import io.dedup.testkit.internal.scenario.CallForm;
import io.dedup.testkit.internal.scenario.ContractGroup;
import io.dedup.testkit.internal.scenario.EachCallForm;
import io.dedup.testkit.internal.scenario.EachSituation;
import io.dedup.testkit.internal.scenario.HeldClaim;
import io.dedup.testkit.internal.scenario.KeyUnderTest;
import io.dedup.testkit.internal.scenario.Situation;
import io.dedup.testkit.internal.scenario.UniqueNames;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;

/** One ID with two payloads is a conflict only if both fingerprints are known. */
public abstract class FingerprintContract extends ContractGroup {
    @EachCallForm
    @DisplayName("while held: conflict only if both fingerprints are present and differ")
    void held(CallForm form) {
        assertAnswers(form, false);
    }

    @EachCallForm
    @DisplayName("when done: conflict only if both fingerprints are present and differ")
    void done(CallForm form) {
        assertAnswers(form, true);
    }

    private void assertAnswers(CallForm form, boolean done) {
        Class<? extends ClaimResult> same = done ? ClaimResult.AlreadyDone.class : ClaimResult.InFlight.class;
        KeyUnderTest red = with(form, RED, done);
        assertThat(red.claim(UniqueNames.owner(), BLUE)).isInstanceOf(ClaimResult.Conflict.class);
        assertThat(red.elsewhere().claim(UniqueNames.owner(), BLUE)).isInstanceOf(ClaimResult.Conflict.class);
        assertThat(red.claim(UniqueNames.owner(), new Fingerprint("RED"))).isInstanceOf(ClaimResult.Conflict.class);
        assertThat(red.claim(UniqueNames.owner(), RED)).isInstanceOf(same);
        assertThat(red.claim(UniqueNames.owner(), null)).isInstanceOf(same);

        KeyUnderTest none = with(form, null, done);
        assertThat(none.claim(UniqueNames.owner(), RED)).isInstanceOf(same);
        assertThat(none.claim(UniqueNames.owner(), null)).isInstanceOf(same);
    }

    private KeyUnderTest with(CallForm form, @Nullable Fingerprint fingerprint, boolean done) {
        KeyUnderTest subject = subject(form);
        HeldClaim held = subject.acquire(fingerprint);
        if (done) {
            KeyUnderTest.assertApplied(subject.complete(held));
        }
        return subject;
    }

    @EachCallForm
    @DisplayName("the owner's own repeated request is never a conflict, and keeps the first fingerprint")
    void ownRetriedRequest(CallForm form) {
        KeyUnderTest subject = subject(form);
        HeldClaim held = subject.acquire(RED);

        assertThat(subject.acquire(held.owner(), BLUE).answer()).isEqualTo(held.answer());
        assertThat(subject.acquire(held.owner(), null).answer()).isEqualTo(held.answer());

        assertThat(subject.found().fingerprint()).isEqualTo(RED);
        assertThat(subject.claim(UniqueNames.owner(), BLUE)).isInstanceOf(ClaimResult.Conflict.class);
    }

    @EachCallForm
    @DisplayName("renewing and completing keep the fingerprint of the claim")
    void keptByRenewalAndCompletion(CallForm form) {
        KeyUnderTest subject = subject(form);
        HeldClaim held = subject.acquire(RED);
        KeyUnderTest.assertApplied(subject.renew(held));
        assertThat(subject.claim(UniqueNames.owner(), BLUE)).isInstanceOf(ClaimResult.Conflict.class);
        KeyUnderTest.assertApplied(subject.complete(held));

        assertThat(subject.claim(UniqueNames.owner(), BLUE)).isInstanceOf(ClaimResult.Conflict.class);
        assertThat(subject.found().fingerprint()).isEqualTo(RED);
    }

    @EachSituation
    @DisplayName("a claimable record is no conflict, and takes the new claim's fingerprint")
    void claimableTakesTheNewOne(Situation situation, CallForm form) {
        if (situation.isLive() || situation.isDone()) {
            KeyUnderTest subject = subject(form);
            situation.arrange(subject, this::advance);
            assertThat(subject.claim(UniqueNames.owner(), BLUE)).isInstanceOf(ClaimResult.Conflict.class);
            return;
        }
        KeyUnderTest subject = subject(form);
        situation.arrange(subject, this::advance);

        HeldClaim held = subject.acquire(BLUE);

        assertThat(subject.found().fingerprint()).isEqualTo(BLUE);
        assertThat(subject.claim(UniqueNames.owner(), RED)).isInstanceOf(ClaimResult.Conflict.class);
        KeyUnderTest.assertApplied(subject.complete(held));
        assertThat(subject.claim(UniqueNames.owner(), RED)).isInstanceOf(ClaimResult.Conflict.class);
        assertThat(subject.claim(UniqueNames.owner(), BLUE)).isInstanceOf(ClaimResult.AlreadyDone.class);
    }

    @EachSituation
    @DisplayName("a claimable record claimed without a fingerprint has none any more")
    void claimableTakesNone(Situation situation, CallForm form) {
        KeyUnderTest subject = subject(form);
        situation.arrange(subject, this::advance);

        if (subject.claim(UniqueNames.owner(), null) instanceof ClaimResult.Acquired) {
            assertThat(subject.found().fingerprint()).isNull();
            assertThat(subject.claim(UniqueNames.owner(), BLUE)).isInstanceOf(ClaimResult.InFlight.class);
        } else {
            assertThat(situation.isLive() || situation.isDone()).isTrue();
        }
    }

    @EachCallForm
    @DisplayName("the longest fingerprint is kept whole")
    void longest(CallForm form) {
        Fingerprint one = new Fingerprint("f".repeat(63) + "1");
        Fingerprint two = new Fingerprint("f".repeat(63) + "2");
        KeyUnderTest subject = subject(form);
        subject.acquire(one);

        assertThat(subject.found().fingerprint()).isEqualTo(one);
        assertThat(subject.claim(UniqueNames.owner(), two)).isInstanceOf(ClaimResult.Conflict.class);
        assertThat(subject.claim(UniqueNames.owner(), one)).isInstanceOf(ClaimResult.InFlight.class);
    }
}
