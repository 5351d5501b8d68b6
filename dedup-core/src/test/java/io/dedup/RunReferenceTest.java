package io.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupOutcome.Completion;
import io.dedup.DedupOutcome.Duplicate;
import io.dedup.DedupOutcome.Handled;
import io.dedup.adapter.Admission;
import io.dedup.adapter.ClaimAhead;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.WaitBudget;
import io.dedup.policy.DedupMode;
import io.dedup.policy.DedupPolicy;
import io.dedup.policy.OnStoreFailure;
import io.dedup.policy.Window;
import io.dedup.support.DeduplicatorTestBase;
import io.dedup.support.Faults;
import io.dedup.support.FaultyStore.Op;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A duplicate is told which run has handled its message. */
class RunReferenceTest extends TransactionalTestBase {
    private final AtomicInteger runsAsked = new AtomicInteger();
    private final Map<String, String> told = new ConcurrentHashMap<>();
    private RunReference reference = () -> Thread.currentThread().getName() + " run " + runsAsked.incrementAndGet();

    private final CountDownLatch exceeded = new CountDownLatch(1);

    private final DedupListener listener = new DedupListener() {
        @Override
        public void maxProcessingTimeExceeded(DedupKey key) {
            exceeded.countDown();
        }

        @Override
        public void duplicate(DedupKey key, Instant completedAt, @Nullable String firstRun) {
            told.put(key.messageId(), String.valueOf(firstRun));
        }
    };

    private Deduplicator referring(DedupMode mode, UnaryOperator<DedupPolicy.Builder> more) {
        records = mode == DedupMode.LEASED_TRANSACTIONAL ? shared : apart;
        return deduplicator(
                store,
                policy -> more.apply(policy.mode(mode)),
                builder -> (mode.isTransactional() ? builder.transactions(records) : builder)
                        .runReference(() -> reference.ofThisRun())
                        .listener(listener));
    }

    private Deduplicator referring() {
        return referring(DedupMode.LEASED, policy -> policy);
    }

    private static String run(int number) {
        return Thread.currentThread().getName() + " run " + number;
    }

    private @Nullable String firstRunOf(Deduplicator dedup, String id) {
        DedupOutcome<String> outcome = dedup.execute(key(id), context -> "must not run");
        assertThat(outcome).isInstanceOf(Duplicate.class);
        String firstRun = ((Duplicate<String>) outcome).firstRun();
        assertThat(told).containsEntry(id, String.valueOf(firstRun));
        return firstRun;
    }

    @ParameterizedTest
    @EnumSource(DedupMode.class)
    void inEveryMode(DedupMode mode) {
        Deduplicator dedup = referring(mode, policy -> policy);
        dedup.execute(key("a"), context -> "effect");
        DedupCall<String> call = DedupCall.<String>of(key("b")).withResult(ResultCodec.utf8());
        dedup.execute(call, context -> "result");
        dedup.executeAll(List.of("c", "d"), DeduplicatorTestBase::key, items -> {});

        assertThat(firstRunOf(dedup, "a")).isEqualTo(run(1));
        assertThat(dedup.execute(call, context -> "must not run"))
                .isInstanceOfSatisfying(Duplicate.class, duplicate -> {
                    assertThat(duplicate.value()).isEqualTo("result");
                    assertThat(duplicate.firstRun()).isEqualTo(run(2));
                });
        assertThat(firstRunOf(dedup, "c")).isEqualTo(run(3));
        assertThat(firstRunOf(dedup, "d")).isEqualTo(run(4));
        assertThat(dedup.executeAll(List.of("a"), DeduplicatorTestBase::key, items -> {}))
                .first()
                .isInstanceOfSatisfying(
                        Duplicate.class,
                        duplicate -> assertThat(duplicate.firstRun()).isEqualTo(run(1)));
    }

    @Test
    void ofARunThatEndsWithAStage() {
        Deduplicator dedup = referring();
        assertThat(dedup.executeAsync(
                        DedupCall.<String>of(key("a")), context -> CompletableFuture.supplyAsync(() -> "later")))
                .succeedsWithin(Duration.ofSeconds(30));

        assertThat(firstRunOf(dedup, "a")).isEqualTo(run(1));
    }

    @Test
    @DisplayName("of the run that succeeded, not of one that failed before")
    void ofTheOneThatSucceeded() {
        Deduplicator dedup = referring();
        try {
            dedup.execute(key("a"), context -> {
                throw new IllegalStateException("no");
            });
        } catch (IllegalStateException expected) {
            assertThat(expected).hasMessage("no");
        }
        dedup.execute(key("a"), context -> "effect");

        assertThat(firstRunOf(dedup, "a")).isEqualTo(run(2));
    }

    @Test
    void aFrontThatHasForgottenIsRepairedWithIt() {
        Deduplicator dedup = referring(DedupMode.TIERED, policy -> policy);
        DedupCall<String> call = DedupCall.<String>of(key("a")).withResult(ResultCodec.utf8());
        dedup.execute(call, context -> "result");
        store.intact().forget(key("a"), LiveLease.OVERRIDE);

        assertThat(firstRunOf(dedup, "a")).isEqualTo(run(1)); // from the record
        int calls = records.calls().size();
        assertThat(dedup.execute(call, context -> "must not run"))
                .isEqualTo(new Duplicate<>(store.find(key("a")).orElseThrow().completedAt(), "result", run(1)));
        assertThat(records.calls()).hasSize(calls); // from the front
    }

    @Test
    void aLateCompletionCarriesIt() {
        Deduplicator dedup = referring(DedupMode.LEASED, policy -> policy.onStoreFailure(OnStoreFailure.PROCESS));
        store.on(Op.COMPLETE, Faults.down());
        dedup.execute(key("a"), context -> "guarded");
        store.down();
        dedup.execute(key("b"), context -> "unguarded");
        store.heal();
        await().until(() -> DedupAdapter.of(dedup).pendingCompletions() == 0);

        assertThat(firstRunOf(dedup, "a")).isEqualTo(run(1));
        assertThat(firstRunOf(dedup, "b")).isEqualTo(run(2));
    }

    @Test
    @DisplayName("claimed ahead, completed together, and a copy whose first one's completion is on its way")
    void claimedAhead() {
        Deduplicator dedup = referring();
        List<Delivery> deliveries = Stream.of("a", "b")
                .map(id -> Delivery.of(dedup.topic(TOPIC), id, null, () -> "orders-0@17"))
                .toList();
        List<Execution> executions = DedupAdapter.of(dedup).ahead().claim(deliveries).stream()
                .map(claim -> begun(dedup, claim))
                .toList();
        DedupAdapter.of(dedup).ahead().follows(deliveries.get(1), executions.get(1));
        assertThat(told).containsEntry("b", run(2));
        told.clear();
        executions.get(0).keepResult("reply".getBytes(StandardCharsets.UTF_8));
        DedupAdapter.of(dedup).succeedAll(executions, WaitBudget.none());

        assertThat(firstRunOf(dedup, "a")).isEqualTo(run(1));
        assertThat(firstRunOf(dedup, "b")).isEqualTo(run(2));
        Admission admission = DedupAdapter.of(dedup).admit(deliveries.get(0), WaitBudget.none());
        assertThat(admission).isInstanceOfSatisfying(Admission.Duplicate.class, duplicate -> {
            assertThat(duplicate.done().result()).asString().isEqualTo("reply");
            assertThat(duplicate.firstRun()).isEqualTo(run(1));
        });
    }

    private static Execution begun(Deduplicator dedup, @Nullable ClaimAhead claim) {
        Execution execution =
                ((Admission.Run) DedupAdapter.of(dedup).ahead().admit(claim, WaitBudget.none())).execution();
        execution.begin();
        return execution;
    }

    static Stream<RunReference> whatIsNoReference() {
        return Stream.of(
                () -> null,
                () -> "",
                () -> "two\nlines",
                () -> "größe",
                () -> "x".repeat(RunReference.MAX_CHARS + 1),
                () -> {
                    throw new IllegalStateException("no tracer");
                },
                () -> {
                    throw new NoClassDefFoundError("a wrong class path");
                });
    }

    @ParameterizedTest
    @MethodSource("whatIsNoReference")
    @DisplayName("what cannot be kept changes no outcome, and the result is kept")
    void changesNoOutcome(RunReference bad) {
        reference = bad;
        Deduplicator dedup = referring();
        DedupCall<String> call = DedupCall.<String>of(key("a")).withResult(ResultCodec.utf8());

        assertThat(dedup.execute(call, context -> "kept")).isEqualTo(new Handled<>("kept", Completion.DONE));
        assertThat(dedup.execute(call, context -> "must not run")).isEqualTo(new Duplicate<>(clock.instant(), "kept"));
        assertThat(record("a").result()).asString().isEqualTo("kept");
    }

    @Test
    @DisplayName("one that hangs hangs in the handler's time: its lease isn't renewed for ever")
    void hangs() {
        reference = () -> {
            await().until(() -> exceeded.getCount() == 0);
            return "late";
        };
        Duration time = Duration.ofMillis(300);
        Deduplicator dedup =
                referring(DedupMode.LEASED, policy -> policy.lease(time).maxProcessingTime(time));

        dedup.execute(key("a"), context -> "done");
        assertThat(firstRunOf(dedup, "a")).isEqualTo("late");
    }

    @Test
    @DisplayName(
            "maxResultBytes is about the result alone, and a result that isn't kept doesn't take the reference with it")
    void besideTheResult() {
        Deduplicator dedup = referring(DedupMode.LEASED, policy -> policy.maxResultBytes(4));
        DedupCall<String> fits = DedupCall.<String>of(key("a")).withResult(ResultCodec.utf8());
        DedupCall<String> large = DedupCall.<String>of(key("b")).withResult(ResultCodec.utf8());
        dedup.execute(fits, context -> "1234");
        dedup.execute(large, context -> "12345");

        assertThat(dedup.execute(fits, context -> "must not run"))
                .isEqualTo(new Duplicate<>(clock.instant(), "1234", run(1)));
        assertThat(dedup.execute(large, context -> "must not run"))
                .isEqualTo(new Duplicate<>(clock.instant(), null, run(2)));
    }

    @Test
    @DisplayName("results from before it was switched on are read, and those from then after it is switched off")
    void switchedOnAndOff() {
        Deduplicator without = deduplicator();
        DedupCall<byte[]> before = DedupCall.<byte[]>of(key("a")).withResult(ResultCodec.bytes());
        DedupCall<byte[]> magic = DedupCall.<byte[]>of(key("b")).withResult(ResultCodec.bytes());
        without.execute(before, context -> new byte[] {1, 2});
        without.execute(magic, context -> new byte[] {-1, 0, 1, 'x'});
        Deduplicator with = referring();
        DedupCall<byte[]> after = DedupCall.<byte[]>of(key("c")).withResult(ResultCodec.bytes());
        with.execute(after, context -> new byte[] {3});

        assertThat(record("a").result()).containsExactly(1, 2);
        assertThat(resultOf(with, before)).containsExactly(1, 2);
        assertThat(resultOf(with, magic)).containsExactly(-1, 0, 1, 'x');
        assertThat(resultOf(without, after)).containsExactly(3);
        assertThat(firstRunOf(with, "b")).isNull();
    }

    private static byte[] resultOf(Deduplicator dedup, DedupCall<byte[]> call) {
        return ((Duplicate<byte[]>) dedup.execute(call, context -> new byte[0])).value();
    }

    @Test
    @DisplayName("what an operator has marked as done was run by nobody, and shadow mode doesn't ask")
    void nobodysRun() {
        Deduplicator dedup = referring();
        store.intact().forceDone(key("a"), Window.of(Duration.ofDays(1)), LiveLease.OVERRIDE);
        assertThat(firstRunOf(dedup, "a")).isNull();

        Deduplicator watching = referring(DedupMode.LEASED, policy -> policy.shadow(true));
        watching.execute(key("b"), context -> "effect");
        assertThat(runsAsked).hasValue(0);
    }
}
