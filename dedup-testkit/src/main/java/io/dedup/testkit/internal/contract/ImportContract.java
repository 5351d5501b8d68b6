package io.dedup.testkit.internal.contract;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.dedup.DedupKey;
import io.dedup.policy.Window;
import io.dedup.store.ClaimResult;
import io.dedup.store.ReleaseMode;
import io.dedup.store.StoredRecord;
import io.dedup.store.StoredRecord.State;
import io.dedup.store.operator.ImportRequest;
import io.dedup.store.operator.ImportResult;
import io.dedup.store.operator.ImportResult.Decision;
import io.dedup.store.operator.ImportingStore;
import io.dedup.testkit.internal.scenario.CallForm;
import io.dedup.testkit.internal.scenario.ContractGroup;
import io.dedup.testkit.internal.scenario.HeldClaim;
import io.dedup.testkit.internal.scenario.HostileIds;
import io.dedup.testkit.internal.scenario.KeyUnderTest;
import io.dedup.testkit.internal.scenario.RacingThreads;
import io.dedup.testkit.internal.scenario.Situation;
import io.dedup.testkit.internal.scenario.UniqueNames;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Records of messages that were handled before the store knew of them. */
public abstract class ImportContract extends ContractGroup {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final int MANY = 1_200; // more than one statement takes
    private static final int RACES = 40;
    private static final byte[] FIRST = {1};
    private static final byte[] SECOND = {2};

    @BeforeEach
    void requireImports(TestInfo test) {
        assumeTrue(
                fixture().imports() || test.getDisplayName().startsWith("a store that cannot"), "imports no records");
    }

    @Test
    @DisplayName("a store that cannot import records doesn't implement ImportingStore")
    void unsupported() {
        if (!fixture().imports()) {
            assertThatThrownBy(() -> ImportingStore.of(store(), store().name()))
                    .isInstanceOf(UnsupportedOperationException.class);
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("an import makes a message done, unless a lease is live or it is done already")
    void everySituation(Situation situation) {
        KeyUnderTest subject = subject(CallForm.ALONE);
        HeldClaim last = situation.arrange(subject, this::advance);
        Optional<StoredRecord> before = subject.find();
        Instant completedAt = now().minus(HOUR.multipliedBy(30)); // before the clock was moved
        Window window = Window.of(HOUR.multipliedBy(40));

        Decision decision = importDone(subject.elsewhere(), completedAt, window, FIRST);

        if (situation.isLive()) {
            assertThat(decision).isEqualTo(Decision.HELD);
            assertUnchanged(before.orElseThrow(), subject.found());
            KeyUnderTest.assertApplied(subject.complete(last));
        } else if (situation.isDone()) {
            assertThat(decision).isEqualTo(Decision.KNOWN);
            assertUnchanged(before.orElseThrow(), subject.found());
        } else {
            assertThat(decision).isEqualTo(Decision.IMPORTED);
            assertImported(subject, situation, completedAt, window);
            assertThat(importDone(subject, completedAt, window, FIRST)).isEqualTo(Decision.KNOWN);
            assertImported(subject, situation, completedAt, window);
            KeyUnderTest.assertLeaseLost(subject.complete(last));
            KeyUnderTest.assertLeaseLost(subject.renew(last));
            KeyUnderTest.assertLeaseLost(subject.release(last, ReleaseMode.STARTED));
        }
    }

    private void assertImported(KeyUnderTest subject, Situation situation, Instant completedAt, Window window) {
        StoredRecord record = subject.found();
        assertThat(record.state()).isEqualTo(State.DONE);
        assertThat(record.attempt()).isEqualTo(situation.attempt());
        assertThat(record.deaths()).isZero();
        assertThat(record.owner()).isNull();
        assertThat(record.result()).isEqualTo(FIRST);
        assertThat(record.fingerprint()).isEqualTo(situation.state() == null ? null : RED);
        assertTimes(record, completedAt, completedAt.plus(requireNonNull(window.duration())));
        assertThat(subject.claim()).isInstanceOfSatisfying(ClaimResult.AlreadyDone.class, done -> {
            assertThat(done.attempt()).isEqualTo(situation.attempt());
            assertThat(done.result()).isEqualTo(FIRST);
            assertThat(done.completedAt()).isEqualTo(record.completedAt());
        });
    }

    @Test
    @DisplayName("a done record keeps the later completion, the later end of the window, and its result")
    void laterTimesWin() {
        KeyUnderTest subject = subject(CallForm.ALONE);
        Instant now = now();
        Window day = KeyUnderTest.WINDOW;

        assertThat(importDone(subject, now.minus(HOUR.multipliedBy(3)), day, null))
                .isEqualTo(Decision.IMPORTED);
        assertThat(importDone(subject, now.minus(HOUR.multipliedBy(2)), day, FIRST))
                .isEqualTo(Decision.IMPORTED);
        assertThat(subject.found().result()).isEqualTo(FIRST);
        assertThat(importDone(subject, now.minus(HOUR), day, SECOND)).isEqualTo(Decision.IMPORTED);
        assertThat(subject.found().result()).isEqualTo(FIRST);
        assertTimes(subject.found(), now.minus(HOUR), now.minus(HOUR).plus(KeyUnderTest.WINDOW_LENGTH));

        assertThat(importDone(subject, now.minus(HOUR.multipliedBy(5)), day, SECOND))
                .isEqualTo(Decision.KNOWN);
        assertTimes(subject.found(), now.minus(HOUR), now.minus(HOUR).plus(KeyUnderTest.WINDOW_LENGTH));

        Window week = Window.of(Duration.ofDays(7));
        Instant earlier = now.minus(HOUR.multipliedBy(5));
        assertThat(importDone(subject, earlier, week, null)).isEqualTo(Decision.IMPORTED);
        assertTimes(subject.found(), now.minus(HOUR), earlier.plus(Duration.ofDays(7)));
        assertThat(importDone(subject, now, day, null)).isEqualTo(Decision.IMPORTED); // later, but ends earlier
        assertTimes(subject.found(), now, earlier.plus(Duration.ofDays(7)));

        assertThat(importDone(subject, earlier, Window.forever(), null)).isEqualTo(Decision.IMPORTED);
        assertThat(subject.found().expiresAt()).isNull();
        assertThat(importDone(subject, earlier, week, null)).isEqualTo(Decision.KNOWN);
        assertThat(importDone(subject, earlier, Window.forever(), null)).isEqualTo(Decision.KNOWN);
        assertThat(subject.found().expiresAt()).isNull();
        assertThat(subject.found().result()).isEqualTo(FIRST);
    }

    @Test
    @DisplayName("an old completion with a window for ever is kept with its time")
    void longAgo() {
        KeyUnderTest subject = subject(CallForm.ALONE);
        Instant longAgo = Instant.parse("1999-12-31T23:59:59Z");

        assertThat(importDone(subject, longAgo, Window.forever(), null)).isEqualTo(Decision.IMPORTED);

        assertThat(subject.found().completedAt()).isEqualTo(longAgo);
        assertThat(importDone(subject, longAgo, Window.forever(), null)).isEqualTo(Decision.KNOWN);
        assertThat(importDone(subject, now().minus(HOUR), Window.forever(), null))
                .isEqualTo(Decision.IMPORTED);
        subject.elsewhere().assertDone();
    }

    @Test
    @DisplayName("an imported record expires with its window; the message is a first attempt then, with a higher token")
    void expires() {
        KeyUnderTest subject = subject(CallForm.ALONE);
        HeldClaim before = subject.acquire();
        KeyUnderTest.assertApplied(subject.release(before, ReleaseMode.STARTED));
        assertThat(importDone(subject, now().minus(HOUR), KeyUnderTest.WINDOW, null))
                .isEqualTo(Decision.IMPORTED);

        advance(KeyUnderTest.WINDOW_LENGTH.minus(HOUR).minus(step()).minus(PRECISION));
        subject.elsewhere().assertDone();
        advance(step().plus(PRECISION).plus(fixture().drift()));
        assertThat(subject.find()).isEmpty();
        HeldClaim after = subject.acquire();
        assertThat(after.attempt()).isEqualTo(1);
        assertThat(after.token()).isGreaterThan(before.token());
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a window that has ended changes nothing")
    void over(Situation situation) {
        KeyUnderTest subject = subject(CallForm.ALONE);
        situation.arrange(subject, this::advance);
        Optional<StoredRecord> before = subject.find();

        Instant completedAt = now().minus(KeyUnderTest.WINDOW_LENGTH).minusSeconds(1);
        assertThat(importDone(subject, completedAt, KeyUnderTest.WINDOW, FIRST)).isEqualTo(Decision.OVER);

        assertThat(subject.find().isPresent()).isEqualTo(before.isPresent());
        before.ifPresent(record -> assertUnchanged(record, subject.found()));
    }

    @Test
    @DisplayName("a large batch decides about each key by itself, in order")
    void batch() {
        var scope = newScope();
        List<KeyUnderTest> subjects = IntStream.range(0, MANY)
                .mapToObj(i -> subject(CallForm.AMONG_OTHERS, i % 7 == 0 ? newScope() : scope, "order-" + i))
                .toList();
        Instant now = now();
        List<ImportRequest> requests = new ArrayList<>();
        List<Decision> expected = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            KeyUnderTest subject = subjects.get(i);
            boolean held = i % 50 == 1;
            boolean known = i % 50 == 2;
            boolean over = i % 50 == 3;
            if (held) {
                subject.acquire();
            } else if (known) {
                subject.done(null, null);
            }
            expected.add(held ? Decision.HELD : known ? Decision.KNOWN : over ? Decision.OVER : Decision.IMPORTED);
            requests.add(new ImportRequest(
                    subject.key(),
                    now.minus(over ? Duration.ofDays(2) : HOUR),
                    i % 3 == 0 && !over && !known ? Window.forever() : KeyUnderTest.WINDOW,
                    i % 5 == 0 ? number(i) : null));
        }

        assertThat(importDone(requests)).containsExactlyElementsOf(expected);
        assertThat(importDone(List.of())).isEmpty();

        for (int i = 0; i < MANY; i += 25) {
            KeyUnderTest subject = subjects.get(i);
            assertThat(subject.found().state()).as("%s", subject.key()).isEqualTo(State.DONE);
            assertThat(subject.found().result()).isEqualTo(i % 5 == 0 ? number(i) : null);
        }
        assertThat(importDone(requests))
                .containsExactlyElementsOf(expected.stream()
                        .map(decision -> decision == Decision.IMPORTED ? Decision.KNOWN : decision)
                        .toList());
    }

    @Test
    @DisplayName("T8 hostile IDs are all different")
    void hostileIds() {
        var scope = newScope();
        List<DedupKey> keys =
                HostileIds.all().stream().map(scope::key).distinct().toList();
        Instant completedAt = now().minus(HOUR);

        assertThat(importDone(IntStream.range(0, keys.size())
                        .mapToObj(i -> new ImportRequest(keys.get(i), completedAt, KeyUnderTest.WINDOW, number(i)))
                        .toList()))
                .hasSameSizeAs(keys)
                .containsOnly(Decision.IMPORTED);

        for (int i = 0; i < keys.size(); i++) {
            int number = i;
            assertThat(new KeyUnderTest(store(), fixture().secondInstance(), CallForm.ALONE, keys.get(i)).claim())
                    .as("%s", keys.get(i))
                    .isInstanceOfSatisfying(
                            ClaimResult.AlreadyDone.class,
                            done -> assertThat(done.result()).isEqualTo(number(number)));
        }
    }

    @Test
    @DisplayName("T3 imports and claims of a new key at the same time: either it is imported, or it is claimed")
    void againstClaims() {
        Instant completedAt = now().minus(HOUR);
        List<KeyUnderTest> subjects =
                IntStream.range(0, RACES).mapToObj(i -> subject(CallForm.ALONE)).toList();
        List<List<Object>> races;
        try (RacingThreads crowd = new RacingThreads()) {
            races = crowd.race(
                    subjects,
                    (subject, member, race) -> (member + race) % 3 == 0
                            ? importDone(subject, completedAt, KeyUnderTest.WINDOW, null)
                            : subject.claim());
        }
        for (int i = 0; i < RACES; i++) {
            List<Object> answers = races.get(i);
            long winners = answers.stream()
                    .filter(answer -> answer == Decision.IMPORTED || answer instanceof ClaimResult.Acquired)
                    .count();
            assertThat(winners).as("%s", answers).isEqualTo(1);
            assertThat(subjects.get(i).found().state())
                    .isEqualTo(answers.contains(Decision.IMPORTED) ? State.DONE : State.PROCESSING);
        }
    }

    private static byte[] number(int i) {
        return ByteBuffer.allocate(4).putInt(i).array();
    }

    private void assertTimes(StoredRecord record, Instant completedAt, Instant expiresAt) {
        assertThat(requireNonNull(record.completedAt()))
                .isBetween(completedAt.minus(PRECISION), completedAt.plus(PRECISION));
        assertThat(requireNonNull(record.expiresAt())).isBetween(expiresAt.minus(PRECISION), expiresAt.plus(PRECISION));
    }

    /** The time of the store. */
    private Instant now() {
        KeyUnderTest clock = subject(CallForm.ALONE, newScope(), UniqueNames.next());
        HeldClaim unused = clock.done(null, null);
        return requireNonNull(clock.found().completedAt());
    }

    private static Decision importDone(
            KeyUnderTest subject, Instant completedAt, Window window, byte @Nullable [] result) {
        List<ImportResult> answers = ImportingStore.of(
                        subject.store(), subject.store().name())
                .importDone(List.of(new ImportRequest(subject.key(), completedAt, window, result)));
        assertThat(answers).hasSize(1).first().isInstanceOf(Decision.class);
        return (Decision) answers.get(0);
    }

    private List<ImportResult> importDone(List<ImportRequest> requests) {
        return ImportingStore.of(store(), store().name()).importDone(requests);
    }
}
