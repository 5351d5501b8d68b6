package io.dedup.testkit.internal.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.policy.Window;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.StoredRecord;
import io.dedup.testkit.internal.scenario.CallForm;
import io.dedup.testkit.internal.scenario.ContractGroup;
import io.dedup.testkit.internal.scenario.EachCallForm;
import io.dedup.testkit.internal.scenario.HeldClaim;
import io.dedup.testkit.internal.scenario.KeyUnderTest;
import io.dedup.testkit.internal.scenario.Situation;
import io.dedup.testkit.internal.scenario.UniqueNames;
import java.time.Duration;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;

/** Windows and the attempt retention end exactly on time. */
public abstract class ExpiryContract extends ContractGroup {
    @EachCallForm
    @DisplayName("a window holds until just before its end, and is over exactly at it")
    void windowBoundary(CallForm form) {
        KeyUnderTest subject = subject(form);
        HeldClaim first = subject.done(new byte[] {1}, RED);

        advance(KeyUnderTest.WINDOW_LENGTH.minus(step()));
        subject.elsewhere().assertDone();

        advance(step());
        assertThat(subject.find()).isEmpty();
        HeldClaim next = subject.elsewhere().acquire();
        assertFirstAttempt(next);
        assertThat(next.token()).isGreaterThan(first.token());
        assertThat(subject.found().result()).isNull();
        assertThat(subject.found().completedAt()).isNull();
    }

    @EachCallForm
    @DisplayName("a window counts from the completion, not from the claim")
    void windowCountsFromCompletion(CallForm form) {
        KeyUnderTest subject = subject(form);
        HeldClaim held = subject.acquire();
        advance(Duration.ofMinutes(50));
        KeyUnderTest.assertApplied(subject.complete(held.claim(), Window.of(Duration.ofMinutes(30)), null, false));

        advance(Duration.ofMinutes(30).minus(step()));
        subject.assertDone();
        advance(step());
        assertFirstAttempt(subject.acquire());
    }

    @EachCallForm
    @DisplayName("the shortest window is over after 1 ms")
    void shortestWindow(CallForm form) {
        KeyUnderTest subject = subject(form);
        KeyUnderTest.assertApplied(
                subject.complete(subject.acquire().claim(), Window.of(Duration.ofMillis(1)), null, false));

        advance(Duration.ofMillis(1));
        assertThat(subject.find()).isEmpty();
        assertFirstAttempt(subject.acquire());
    }

    @EachCallForm
    @DisplayName("the longest window is kept to its end")
    void longestWindow(CallForm form) {
        KeyUnderTest subject = subject(form);
        KeyUnderTest.assertApplied(subject.complete(subject.acquire().claim(), Window.of(Window.MAX), null, false));

        advance(Window.MAX.minus(step()));
        subject.assertDone();
        advance(step());
        assertFirstAttempt(subject.acquire());
    }

    @EachCallForm
    @DisplayName("a window without an end outlives the longest one, and no purge takes it")
    void forever(CallForm form) {
        KeyUnderTest subject = subject(form);
        KeyUnderTest.assertApplied(
                subject.complete(subject.acquire().claim(), Window.forever(), new byte[] {9}, false));
        assertThat(subject.found().expiresAt()).isNull();

        advance(Window.MAX);
        advance(Duration.ofDays(365));
        fixture().purge();

        assertThat(subject.elsewhere().claim()).isInstanceOfSatisfying(ClaimResult.AlreadyDone.class, done -> {
            assertThat(done.attempt()).isEqualTo(1);
            assertThat(done.result()).containsExactly(9);
        });
        assertThat(subject.found().expiresAt()).isNull();
    }

    @EachCallForm
    @DisplayName("an expired record is forgotten: a redelivery is a first attempt, and its old owner has no claim")
    void expiredKnowsNothing(CallForm form) {
        KeyUnderTest subject = subject(form);
        subject.acquire();
        advance(KeyUnderTest.LEASE);
        HeldClaim second = subject.acquire();
        KeyUnderTest.assertApplied(subject.complete(second));
        advance(KeyUnderTest.WINDOW_LENGTH);

        KeyUnderTest.assertLeaseLost(subject.complete(second));
        KeyUnderTest.assertLeaseLost(subject.renew(second));
        assertFirstAttempt(subject.acquire(second.owner()));
    }

    @EachCallForm
    @DisplayName("attempts and deaths of an unfinished record are kept for the retention, and removed exactly at its"
            + " end")
    void retentionBoundary(CallForm form) {
        Duration retention = store().attemptRetention();
        for (Situation situation : List.of(
                Situation.RELEASED,
                Situation.CONVICTED,
                Situation.DEAD_GIVEN_BACK,
                Situation.LEASE_OVER,
                Situation.TAKEN_OVER_LEASE_OVER)) {
            KeyUnderTest looked = subject(form);
            situation.arrange(looked, this::advance);
            advance(retention.minus(step()));
            assertThat(looked.find()).as("%s just before the end", situation).isPresent();
            assertThat(looked.acquire().attempt()).as("%s", situation).isEqualTo(situation.attempt() + 1);

            KeyUnderTest expired = subject(form);
            HeldClaim last = situation.arrange(expired, this::advance);
            advance(retention);
            assertThat(expired.find()).as("%s at the end", situation).isEmpty();
            KeyUnderTest.assertLeaseLost(expired.complete(last));
            KeyUnderTest.assertLeaseLost(expired.renew(last));
            assertFirstAttempt(expired.acquire());
        }
    }

    @EachCallForm
    @DisplayName("the retention counts from the end of a lease: while it is held, nothing expires")
    void retentionCountsFromTheLease(CallForm form) {
        KeyUnderTest subject = subject(form);
        Duration retention = store().attemptRetention();
        Duration lease = retention.plus(Duration.ofHours(2));
        HeldClaim held = subject.acquire(new ClaimRequest(subject.key(), UniqueNames.owner(), lease));

        advance(retention.plus(Duration.ofHours(1)));
        subject.elsewhere().assertInFlight();
        advance(retention);
        KeyUnderTest.assertApplied(subject.complete(held));
    }

    @EachCallForm
    @DisplayName("a claim restarts the retention, even when it had nearly ended")
    void claimStartsTheRetentionAnew(CallForm form) {
        KeyUnderTest subject = subject(form);
        Situation.RELEASED.arrange(subject, this::advance);
        Duration nearly = store().attemptRetention().minus(step());
        advance(nearly);
        HeldClaim second = subject.acquire();
        advance(KeyUnderTest.LEASE);
        advance(nearly);

        KeyUnderTest.assertApplied(subject.complete(second));
        assertThat(subject.found().attempt()).isEqualTo(2);
    }

    @EachCallForm
    @DisplayName("a window may be shorter or longer than the retention: only the window applies to a done record")
    void windowAndRetention(CallForm form) {
        Duration retention = store().attemptRetention();
        KeyUnderTest shorter = subject(form);
        KeyUnderTest longer = subject(form);
        KeyUnderTest.assertApplied(
                shorter.complete(shorter.acquire().claim(), Window.of(retention.dividedBy(2)), null, false));
        KeyUnderTest.assertApplied(
                longer.complete(longer.acquire().claim(), Window.of(retention.multipliedBy(3)), null, false));

        advance(retention.dividedBy(2).plus(step()));
        assertFirstAttempt(shorter.acquire());
        advance(retention.multipliedBy(2));
        longer.assertDone();
    }

    @EachCallForm
    @DisplayName("a purge removes all expired records and no others")
    void purge(CallForm form) {
        Map<Situation, KeyUnderTest> subjects = new EnumMap<>(Situation.class);
        // Arranging one moves the time of all: what takes days comes first, what an hour would end comes last.
        Stream.of(Situation.values())
                .sorted(Comparator.comparing(Situation::isLive).thenComparing(situation -> situation.state() != null))
                .filter(situation -> situation != Situation.TAKEN_OVER && situation != Situation.NOT_ALONE_TAKEN_OVER)
                .forEach(situation -> {
                    KeyUnderTest subject = subject(form);
                    situation.arrange(subject, this::advance);
                    subjects.put(situation, subject);
                });
        Map<Situation, StoredRecord> before = new EnumMap<>(Situation.class);
        subjects.forEach((situation, subject) -> subject.find().ifPresent(found -> before.put(situation, found)));
        assertThat(before.keySet())
                .allMatch(situation -> situation.state() != null)
                .hasSize(11);

        fixture().purge();

        subjects.forEach((situation, subject) -> {
            assertThat(subject.elsewhere().find().isPresent())
                    .as("%s after a purge", situation)
                    .isEqualTo(before.containsKey(situation));
            StoredRecord record = before.get(situation);
            if (record == null) {
                assertFirstAttempt(subject.acquire());
            } else {
                assertUnchanged(record, subject.found());
            }
        });
    }

    @EachCallForm
    @DisplayName("time passes by itself: a dead owner's lease expires without any call")
    void timePasses(CallForm form) {
        KeyUnderTest subject = subject(form);
        subject.acquire(new ClaimRequest(subject.key(), UniqueNames.owner(), Duration.ofMillis(50)));
        if (fixture().drift().isZero()) {
            advance(Duration.ofMillis(50));
        }

        Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> subject.claim() instanceof ClaimResult.Acquired);

        assertThat(subject.found().attempt()).isEqualTo(2);
    }

    private static void assertFirstAttempt(HeldClaim held) {
        assertThat(held.attempt()).isEqualTo(1);
        assertThat(held.deaths()).isZero();
        assertThat(held.tookOver()).isFalse();
    }
}
