package io.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupOutcome.Completion;
import io.dedup.DedupOutcome.Duplicate;
import io.dedup.DedupOutcome.Handled;
import io.dedup.adapter.DedupAdapter;
import io.dedup.store.ClaimRequest;
import io.dedup.store.CompleteRequest;
import io.dedup.store.Owner;
import io.dedup.store.StoredRecord.State;
import io.dedup.support.DeduplicatorTestBase;
import io.dedup.support.Faults;
import io.dedup.support.FaultyStore.Op;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Execution(ExecutionMode.CONCURRENT)
class CompletionFailureTest extends DeduplicatorTestBase {
    @Test
    @DisplayName("T5 a failed completion is repeated, saying so, and never a failed handler")
    void repeated() {
        Deduplicator dedup = deduplicator(policy -> policy.inFlightWait(Duration.ofSeconds(10)));
        store.on(Op.COMPLETE, Faults.times(2, Faults.down()));

        assertThat(dedup.execute(key("a"), context -> "effect")).isEqualTo(new Handled<>("effect", Completion.DONE));

        assertThat(repetitions()).containsExactly(false, true, true);
        assertThat(store.calls(Op.RELEASE)).isEmpty();
        assertThat(stateOf("a")).isEqualTo(State.DONE);
        assertThat(events.all())
                .containsExactly("acquired a 1", "store error complete", "store error complete", "completed a");
    }

    @Test
    @DisplayName("a completion that was applied although its answer was lost is recognized")
    void lostAnswer() {
        Deduplicator dedup = deduplicator(policy -> policy.inFlightWait(Duration.ofSeconds(10)));
        store.on(Op.COMPLETE, Faults.times(1, Faults.lostAnswer()));

        assertThat(dedup.execute(key("a"), context -> "effect")).isEqualTo(new Handled<>("effect", Completion.DONE));
    }

    static Stream<Supplier<Throwable>> whatStoresThrow() {
        return Stream.of(
                () -> new IllegalStateException("a bug"),
                () -> new NoClassDefFoundError("a wrong class path"),
                StackOverflowError::new,
                () -> new IOException("thrown without being declared"));
    }

    @ParameterizedTest
    @MethodSource("whatStoresThrow")
    @DisplayName("T5 whatever a completion throws: the message is acked, and recorded in the background")
    void thenInTheBackground(Supplier<Throwable> thrown) {
        Deduplicator dedup = deduplicator();
        store.on(Op.COMPLETE, Faults.throwing(thrown));

        DedupOutcome<String> outcome = dedup.execute(key("a"), context -> "effect");

        assertThat(outcome).isEqualTo(new Handled<>("effect", Completion.PENDING));
        assertThat(outcome.mayAck()).isTrue();
        assertThat(DedupAdapter.of(dedup).pendingCompletions()).isEqualTo(1);
        assertThat(stateOf("a")).isEqualTo(State.PROCESSING);
        store.heal();
        await().until(() -> stateOf("a") == State.DONE);
        await().until(() -> DedupAdapter.of(dedup).pendingCompletions() == 0);
        assertThat(store.calls(Op.RELEASE)).isEmpty();
        assertThat(repetitions().subList(1, repetitions().size())).containsOnly(true);
        assertThat(events.all()).contains("pending a").endsWith("completed a");
    }

    @Test
    void theBudgetBoundsTheRepetitions() {
        Deduplicator dedup = deduplicator(policy -> policy.inFlightWait(Duration.ofMillis(300)));
        store.on(Op.COMPLETE, Faults.down());
        long from = System.nanoTime();

        DedupOutcome<String> outcome = dedup.execute(key("a"), context -> "effect");

        assertThat(outcome).isEqualTo(new Handled<>("effect", Completion.PENDING));
        assertThat(Duration.ofNanos(System.nanoTime() - from))
                .isBetween(Duration.ofMillis(250), Duration.ofSeconds(20));
        assertThat(store.calls(Op.COMPLETE)).hasSizeGreaterThan(3);
    }

    @Test
    void theLeaseBoundsTheRepetitions() {
        Deduplicator dedup =
                deduplicator(policy -> policy.lease(Duration.ofMillis(200)).inFlightWait(Duration.ofMinutes(5)));
        store.on(Op.COMPLETE, Faults.down()).on(Op.RENEW, Faults.down());
        long from = System.nanoTime();

        DedupOutcome<String> outcome = dedup.execute(key("a"), context -> "effect");

        assertThat(outcome).isEqualTo(new Handled<>("effect", Completion.PENDING));
        assertThat(Duration.ofNanos(System.nanoTime() - from)).isLessThan(Duration.ofSeconds(20));
    }

    @Test
    void whatSomebodyElseTookOverMeanwhileIsDropped() {
        Deduplicator dedup = deduplicator();
        store.on(Op.COMPLETE, Faults.down());
        dedup.execute(key("a"), context -> "effect");
        clock.advance(Duration.ofMinutes(1));
        store.intact()
                .claim(List.of(new ClaimRequest(key("a"), new Owner("elsewhere"), Duration.ofMinutes(1))))
                .get(0);
        store.heal();

        await().until(() -> DedupAdapter.of(dedup).pendingCompletions() == 0);
        assertThat(events.all()).endsWith("dropped a");
        assertThat(stateOf("a")).isEqualTo(State.PROCESSING);
    }

    @Test
    @DisplayName("of a batch, those that got no answer are repeated together")
    void batchPartly() {
        Deduplicator dedup = deduplicator(policy -> policy.inFlightWait(Duration.ofSeconds(10)));
        List<String> failing = List.of("b", "d", "e");
        store.on(Op.COMPLETE, Faults.times(1, Faults.forKeys(key -> failing.contains(key.messageId()))));

        List<DedupOutcome<@Nullable Void>> outcomes =
                dedup.executeAll(List.of("a", "b", "c", "d", "e"), DeduplicatorTestBase::key, items -> {});

        assertThat(outcomes).hasSize(5).containsOnly(new Handled<>(null, Completion.DONE));
        assertThat(store.calls(Op.COMPLETE))
                .extracting(
                        call -> call.keys().stream().map(DedupKey::messageId).toList())
                .containsExactly(List.of("a", "b", "c", "d", "e"), failing);
        assertThat(repetitions()).containsExactly(false, false, false, false, false, true, true, true);
    }

    @Test
    @DisplayName("of a batch, each item gets the answer that is its own")
    void batchOutcomesKeepTheirPlaces() {
        Deduplicator dedup = deduplicator();
        store.on(Op.COMPLETE, Faults.forKeys(key -> key.messageId().equals("b")));

        List<DedupOutcome<@Nullable Void>> outcomes =
                dedup.executeAll(List.of("a", "b", "c"), DeduplicatorTestBase::key, items -> {});

        assertThat(outcomes)
                .containsExactly(
                        new Handled<>(null, Completion.DONE),
                        new Handled<>(null, Completion.PENDING),
                        new Handled<>(null, Completion.DONE));
        store.heal();
        await().until(() -> stateOf("b") == State.DONE);
    }

    @Test
    void aBatchThatGotNoAnswerAtAllIsRecordedInTheBackground() {
        Deduplicator dedup = deduplicator();
        store.on(Op.COMPLETE, Faults.throwing(() -> new NoClassDefFoundError("a wrong class path")));

        assertThat(dedup.executeAll(List.of("a", "b"), DeduplicatorTestBase::key, items -> {}))
                .containsOnly(new Handled<>(null, Completion.PENDING));
        store.heal();
        await().until(() -> stateOf("a") == State.DONE && stateOf("b") == State.DONE);
    }

    @Test
    @DisplayName("one completion that always fails doesn't hold up the others")
    void oneThatAlwaysFails() {
        Deduplicator dedup = deduplicator();
        store.on(Op.COMPLETE, Faults.down());
        for (int i = 0; i < 3_000; i++) {
            dedup.execute(key("m" + i), context -> "");
        }
        store.on(Op.COMPLETE, Faults.forKeys(key -> key.messageId().length() < 4)); // m0 to m99

        await().until(() -> DedupAdapter.of(dedup).pendingCompletions() == 100);
        store.heal();
        await().until(() -> DedupAdapter.of(dedup).pendingCompletions() == 0);
    }

    @Test
    @DisplayName("T5 a completion that fails isn't released even when the lease is over")
    void leaseOverAndStoreDown() {
        Deduplicator dedup = deduplicator();
        store.on(Op.COMPLETE, Faults.down());
        dedup.execute(key("a"), context -> "effect");
        clock.advance(Duration.ofMinutes(1));
        store.heal();

        await().until(() -> stateOf("a") == State.DONE);
        assertThat(dedup.execute(key("a"), context -> "again")).isInstanceOf(Duplicate.class);
    }

    @Test
    void aReleaseThatFailsIsRepeatedInTheBackground() {
        Deduplicator dedup = deduplicator();
        store.on(Op.RELEASE, Faults.throwing(() -> new NoClassDefFoundError("a wrong class path")));

        assertThatIllegalStateException()
                .isThrownBy(() -> dedup.execute(key("a"), context -> {
                    throw new IllegalStateException("no effect");
                }))
                .withMessage("no effect");

        assertThat(stateOf("a")).isEqualTo(State.PROCESSING);
        store.heal();
        await().until(() -> stateOf("a") == State.RELEASED);
        assertThat(record("a").attempt()).isEqualTo(1);
    }

    @Test
    void releasesOfABatchThatFailAreRepeatedInTheBackground() {
        Deduplicator dedup = deduplicator();
        store.on(Op.RELEASE, Faults.forKeys(key -> key.messageId().equals("b")));

        assertThatIllegalStateException()
                .isThrownBy(() -> dedup.executeAll(List.of("a", "b"), DeduplicatorTestBase::key, items -> {
                    throw new IllegalStateException("no effect");
                }));

        assertThat(stateOf("a")).isEqualTo(State.RELEASED);
        assertThat(stateOf("b")).isEqualTo(State.PROCESSING);
        store.heal();
        await().until(() -> stateOf("b") == State.RELEASED);
    }

    private List<Boolean> repetitions() {
        return store.calls(Op.COMPLETE).stream()
                .flatMap(call -> call.requests().stream())
                .map(request -> ((CompleteRequest) request).repeated())
                .toList();
    }
}
