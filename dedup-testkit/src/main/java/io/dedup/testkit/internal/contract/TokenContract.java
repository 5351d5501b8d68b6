package io.dedup.testkit.internal.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ReleaseMode;
import io.dedup.testkit.internal.scenario.CallForm;
import io.dedup.testkit.internal.scenario.ContractGroup;
import io.dedup.testkit.internal.scenario.EachCallForm;
import io.dedup.testkit.internal.scenario.EachSituation;
import io.dedup.testkit.internal.scenario.HeldClaim;
import io.dedup.testkit.internal.scenario.KeyUnderTest;
import io.dedup.testkit.internal.scenario.Situation;
import io.dedup.testkit.internal.scenario.UniqueNames;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;

/** Fencing tokens, which a protected resource compares: they only increase. */
public abstract class TokenContract extends ContractGroup {
    @EachSituation
    @DisplayName("the next claim's token is higher than any before, whatever happened to the record")
    void growsOverEveryPath(Situation situation, CallForm form) {
        KeyUnderTest subject = subject(form);
        HeldClaim last = situation.arrange(subject, this::advance);
        if (situation.isDone()) {
            advance(KeyUnderTest.WINDOW_LENGTH);
            assertThat(subject.store().forget(subject.key(), LiveLease.RESPECT))
                    .isEqualTo(situation == Situation.DONE ? OperatorResult.ABSENT : OperatorResult.APPLIED);
        } else if (situation.isLive()) {
            advance(KeyUnderTest.LEASE);
        }

        assertThat(subject.elsewhere().acquire().token()).isGreaterThan(last.token());
    }

    @EachCallForm
    @DisplayName("claims in quick succession get increasing tokens, whichever client sends them")
    void growsQuickly(CallForm form) {
        KeyUnderTest subject = subject(form);
        long last = 0;
        for (int i = 0; i < 20; i++) {
            for (ReleaseMode mode : ReleaseMode.values()) {
                HeldClaim held = subject.acquire();
                assertThat(held.token()).isGreaterThan(last);
                last = held.token();
                KeyUnderTest.assertApplied(subject.release(held, mode));
                subject = subject.elsewhere();
            }
        }
    }

    @EachCallForm
    @DisplayName("takeovers of takeovers get increasing tokens")
    void growsOverTakeovers(CallForm form) {
        KeyUnderTest subject = subject(form);
        long last = 0;
        for (int i = 0; i < 5; i++) {
            HeldClaim held = subject.acquire();
            assertThat(held.token()).isGreaterThan(last);
            last = held.token();
            advance(KeyUnderTest.LEASE);
        }
    }

    @EachCallForm
    @DisplayName("renewing and repeating a claim keep its token")
    void keptWhileHeld(CallForm form) {
        KeyUnderTest subject = subject(form);
        HeldClaim held = subject.acquire();
        advance(Duration.ofMinutes(1));
        KeyUnderTest.assertApplied(subject.renew(held));

        assertThat(subject.found().fencingToken()).isEqualTo(held.token());
        assertThat(subject.acquire(held.owner()).token()).isEqualTo(held.token());
    }

    @EachCallForm
    @DisplayName("a release keeps the token, and the next one is higher")
    void keptByRelease(CallForm form) {
        for (ReleaseMode mode : ReleaseMode.values()) {
            KeyUnderTest subject = subject(form);
            HeldClaim held = subject.acquire();
            KeyUnderTest.assertApplied(subject.release(held, mode));

            assertThat(subject.found().fencingToken()).isEqualTo(held.token());
        }
    }

    @EachCallForm
    @DisplayName("a claim without a token doesn't lower the next token")
    void unfencedInBetween(CallForm form) {
        KeyUnderTest subject = subject(form);
        HeldClaim first = subject.acquire();
        KeyUnderTest.assertApplied(subject.release(first, ReleaseMode.STARTED));
        ClaimRequest unfenced = new ClaimRequest(subject.key(), UniqueNames.owner(), KeyUnderTest.LEASE, null, false);
        HeldClaim second = subject.acquire(unfenced);
        assertThat(second.attempt()).isEqualTo(2);
        KeyUnderTest.assertApplied(subject.release(new Claim(subject.key(), second.owner(), 2), ReleaseMode.STARTED));

        HeldClaim third = subject.elsewhere().acquire();

        assertThat(third.attempt()).isEqualTo(3);
        assertThat(third.token()).isGreaterThan(first.token()).isGreaterThan(second.token());
    }

    @EachCallForm
    @DisplayName("a forgotten message starts again with attempt 1, and its token doesn't decrease")
    void forgotten(CallForm form) {
        KeyUnderTest subject = subject(form);
        HeldClaim before = subject.acquire();
        assertThat(subject.store().forget(subject.key(), LiveLease.OVERRIDE)).isEqualTo(OperatorResult.APPLIED);
        advance(Duration.ofMillis(1));

        HeldClaim after = subject.acquire();

        assertThat(after.attempt()).isEqualTo(1);
        assertThat(after.token()).isGreaterThan(before.token());
    }
}
