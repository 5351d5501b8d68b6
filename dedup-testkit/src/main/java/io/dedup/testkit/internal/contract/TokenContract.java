package io.dedup.testkit.internal.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.OperatorResult;
import io.dedup.store.ReleaseMode;
import io.dedup.testkit.internal.scenario.ContractGroup;
import io.dedup.testkit.internal.scenario.EachForm;
import io.dedup.testkit.internal.scenario.EachSituation;
import io.dedup.testkit.internal.scenario.Form;
import io.dedup.testkit.internal.scenario.Held;
import io.dedup.testkit.internal.scenario.Owners;
import io.dedup.testkit.internal.scenario.Situation;
import io.dedup.testkit.internal.scenario.Subject;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;

/** Fencing tokens: what a protected resource compares, so that they only ever grow. */
public abstract class TokenContract extends ContractGroup {
    @EachSituation
    @DisplayName("the next claim's token is higher than any before, whichever way the record went")
    void growsOverEveryPath(Situation situation, Form form) {
        Subject subject = subject(form);
        Held last = situation.arrange(subject, this::advance);
        if (situation.isDone()) {
            advance(Subject.WINDOW_LENGTH);
            assertThat(subject.store().forget(subject.key(), false))
                    .isEqualTo(situation == Situation.DONE ? OperatorResult.ABSENT : OperatorResult.APPLIED);
        } else if (situation.isLive()) {
            advance(Subject.LEASE);
        }

        assertThat(subject.elsewhere().acquire().token()).isGreaterThan(last.token());
    }

    @EachForm
    @DisplayName("claims in quick succession get growing tokens, whichever client asks")
    void growsQuickly(Form form) {
        Subject subject = subject(form);
        long last = 0;
        for (int i = 0; i < 20; i++) {
            for (ReleaseMode mode : ReleaseMode.values()) {
                Held held = subject.acquire();
                assertThat(held.token()).isGreaterThan(last);
                last = held.token();
                Subject.assertApplied(subject.release(held, mode));
                subject = subject.elsewhere();
            }
        }
    }

    @EachForm
    @DisplayName("takeovers of takeovers get growing tokens")
    void growsOverTakeovers(Form form) {
        Subject subject = subject(form);
        long last = 0;
        for (int i = 0; i < 5; i++) {
            Held held = subject.acquire();
            assertThat(held.token()).isGreaterThan(last);
            last = held.token();
            advance(Subject.LEASE);
        }
    }

    @EachForm
    @DisplayName("renewing and repeating a claim keep its token")
    void keptWhileHeld(Form form) {
        Subject subject = subject(form);
        Held held = subject.acquire();
        advance(Duration.ofMinutes(1));
        Subject.assertApplied(subject.renew(held));

        assertThat(subject.found().fencingToken()).isEqualTo(held.token());
        assertThat(subject.acquire(held.owner()).token()).isEqualTo(held.token());
    }

    @EachForm
    @DisplayName("a release keeps the token, for the next one to exceed")
    void keptByRelease(Form form) {
        for (ReleaseMode mode : ReleaseMode.values()) {
            Subject subject = subject(form);
            Held held = subject.acquire();
            Subject.assertApplied(subject.release(held, mode));

            assertThat(subject.found().fencingToken()).isEqualTo(held.token());
        }
    }

    @EachForm
    @DisplayName("a claim that wants no token doesn't set the next one back")
    void unfencedInBetween(Form form) {
        Subject subject = subject(form);
        Held first = subject.acquire();
        Subject.assertApplied(subject.release(first, ReleaseMode.STARTED));
        ClaimRequest unfenced = new ClaimRequest(subject.key(), Owners.next(), Subject.LEASE, null, false);
        Held second = subject.acquire(unfenced);
        assertThat(second.attempt()).isEqualTo(2);
        Subject.assertApplied(subject.release(new Claim(subject.key(), second.owner(), 2), ReleaseMode.STARTED));

        Held third = subject.elsewhere().acquire();

        assertThat(third.attempt()).isEqualTo(3);
        assertThat(third.token()).isGreaterThan(first.token()).isGreaterThan(second.token());
    }

    @EachForm
    @DisplayName("a forgotten message starts again with attempt 1, and the token doesn't go back")
    void forgotten(Form form) {
        Subject subject = subject(form);
        Held before = subject.acquire();
        assertThat(subject.store().forget(subject.key(), true)).isEqualTo(OperatorResult.APPLIED);
        advance(Duration.ofMillis(1));

        Held after = subject.acquire();

        assertThat(after.attempt()).isEqualTo(1);
        assertThat(after.token()).isGreaterThan(before.token());
    }
}
