package io.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupOutcome.Completion;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.DedupOutcome.Deferred;
import io.dedup.DedupOutcome.Duplicate;
import io.dedup.DedupOutcome.Handled;
import io.dedup.adapter.DedupAdapter;
import io.dedup.store.ClaimRequest;
import io.dedup.store.Owner;
import io.dedup.store.StoredRecord.State;
import io.dedup.support.DeduplicatorTestBase;
import io.dedup.support.FaultyStore.Op;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExecuteAsyncTest extends DeduplicatorTestBase {
    private final CompletableFuture<String> work = new CompletableFuture<>();

    @Test
    void isDoneWhenTheWorkIsDone() {
        Deduplicator dedup = deduplicator();

        CompletionStage<DedupOutcome<String>> outcome = dedup.executeAsync(DedupCall.of(key("a")), context -> work);

        assertThat(outcome.toCompletableFuture()).isNotDone();
        assertThat(stateOf("a")).isEqualTo(State.PROCESSING);
        work.complete("effect");
        assertThat(outcome).succeedsWithin(Duration.ofSeconds(5)).isEqualTo(new Handled<>("effect", Completion.DONE));
        assertThat(stateOf("a")).isEqualTo(State.DONE);
        assertThat(dedup.executeAsync(DedupCall.<String>of(key("a")), context -> work))
                .isCompletedWithValueMatching(Duplicate.class::isInstance);
    }

    @Test
    void aFailedStageReleasesAndFails() {
        CompletionStage<DedupOutcome<String>> outcome =
                deduplicator().executeAsync(DedupCall.of(key("a")), context -> work);
        IllegalStateException failure = new IllegalStateException("no effect");
        work.completeExceptionally(failure);

        assertThat(outcome)
                .failsWithin(Duration.ofSeconds(5))
                .withThrowableOfType(ExecutionException.class)
                .withCause(failure);
        assertThat(stateOf("a")).isEqualTo(State.RELEASED);
    }

    @Test
    void anExceptionBeforeTheStageReleasesAndFailsTheStage() {
        IllegalStateException failure = new IllegalStateException("no stage");

        CompletionStage<DedupOutcome<String>> outcome = deduplicator()
                .executeAsync(DedupCall.<String>of(key("a")), context -> {
                    throw failure;
                });

        assertThat(exceptionOf(outcome)).isSameAs(failure);
        assertThat(stateOf("a")).isEqualTo(State.RELEASED);
    }

    @Test
    @DisplayName("T6 an Error before the stage releases and fails the stage")
    void errorBeforeTheStage() {
        Error failure = new NoClassDefFoundError("x");

        CompletionStage<DedupOutcome<String>> outcome = deduplicator()
                .executeAsync(DedupCall.<String>of(key("a")), context -> {
                    throw failure;
                });

        assertThat(exceptionOf(outcome)).isSameAs(failure);
        assertThat(stateOf("a")).isEqualTo(State.RELEASED);
    }

    @Test
    void aLeaseLostBeforeAnExceptionIsDeferredAsInTheSynchronousForm() {
        CompletionStage<DedupOutcome<String>> outcome = deduplicator()
                .executeAsync(DedupCall.<String>of(key("a")), context -> {
                    loseTo("a");
                    throw new IllegalStateException("fenced off");
                });

        assertThat(outcome)
                .isCompletedWithValueMatching(deferred ->
                        deferred instanceof Deferred<String> lost && lost.reason() == DeferReason.LEASE_LOST);
    }

    @Test
    void aLeaseLostBeforeTheStageFailsIsDeferred() {
        CompletionStage<DedupOutcome<String>> outcome =
                deduplicator().executeAsync(DedupCall.of(key("a")), context -> work);
        loseTo("a");
        work.completeExceptionally(new IllegalStateException("fenced off"));

        assertThat(outcome)
                .succeedsWithin(Duration.ofSeconds(5))
                .isInstanceOfSatisfying(
                        Deferred.class,
                        deferred -> assertThat(deferred.reason()).isEqualTo(DeferReason.LEASE_LOST));
    }

    @Test
    void noStageIsAFailure() {
        CompletionStage<DedupOutcome<String>> outcome =
                deduplicator().executeAsync(DedupCall.<String>of(key("a")), context -> null);

        assertThat(exceptionOf(outcome))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("returned null instead of a CompletionStage");
        assertThat(stateOf("a")).isEqualTo(State.RELEASED);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("a cancelled or timed-out future may still be working: its lease is left to run out")
    void cancelledOrTimedOut(boolean cancelled) {
        Deduplicator dedup = deduplicator();
        CompletionStage<DedupOutcome<String>> outcome =
                dedup.executeAsync(DedupCall.of(key("a")), context -> work.thenApply(value -> value));
        if (cancelled) {
            work.cancel(true);
        } else {
            work.completeExceptionally(new CompletionException(new TimeoutException("too slow")));
        }

        assertThat(outcome)
                .failsWithin(Duration.ofSeconds(5))
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(cancelled ? CancellationException.class : TimeoutException.class);
        assertThat(stateOf("a")).isEqualTo(State.PROCESSING);
        assertThat(store.calls(Op.RELEASE)).isEmpty();
        assertThat(DedupAdapter.of(dedup).inFlight()).isZero();
    }

    @Test
    void whoCancelsTheOutcomeDoesNotCancelTheCloseOut() {
        Deduplicator dedup = deduplicator();
        CompletionStage<DedupOutcome<String>> outcome = dedup.executeAsync(DedupCall.of(key("a")), context -> work);

        assertThat(outcome.toCompletableFuture().cancel(true)).isTrue();
        work.complete("effect");

        await().until(() -> DedupAdapter.of(dedup).inFlight() == 0);
        assertThat(stateOf("a")).isEqualTo(State.DONE);
    }

    @Test
    void aStageThatCannotBeWaitedForLeavesItsLease() {
        CompletableFuture<String> odd = new CompletableFuture<>() {
            @Override
            public CompletableFuture<String> whenComplete(BiConsumer<? super String, ? super Throwable> action) {
                throw new UnsupportedOperationException("odd");
            }
        };
        Deduplicator dedup = deduplicator();

        CompletionStage<DedupOutcome<String>> outcome = dedup.executeAsync(DedupCall.of(key("a")), context -> odd);

        assertThat(exceptionOf(outcome)).isInstanceOf(UnsupportedOperationException.class);
        assertThat(stateOf("a")).isEqualTo(State.PROCESSING);
        assertThat(DedupAdapter.of(dedup).inFlight()).isZero();
    }

    @Test
    void theStoreIsToldOnAThreadOfItsOwn() {
        AtomicReference<String> thread = new AtomicReference<>();
        store.on(Op.COMPLETE, (call, real) -> {
            thread.set(Thread.currentThread().getName());
            return real.apply(call.requests());
        });
        CompletionStage<DedupOutcome<String>> outcome =
                deduplicator().executeAsync(DedupCall.of(key("a")), context -> work);
        work.complete("effect");

        assertThat(outcome).succeedsWithin(Duration.ofSeconds(5));
        assertThat(thread.get()).startsWith("dedup-close-out-");
    }

    @Test
    void workThatEndsAfterCloseIsRecordedAllTheSame() {
        Deduplicator dedup = deduplicator();
        CompletionStage<DedupOutcome<String>> outcome = dedup.executeAsync(DedupCall.of(key("a")), context -> work);
        dedup.close();
        work.complete("effect");

        assertThat(outcome).succeedsWithin(Duration.ofSeconds(5)).isEqualTo(new Handled<>("effect", Completion.DONE));
        assertThat(stateOf("a")).isEqualTo(State.DONE);
    }

    private static Throwable exceptionOf(CompletionStage<?> stage) {
        assertThat(stage.toCompletableFuture()).isCompletedExceptionally();
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        CompletionStage<?> unused = stage.whenComplete((value, error) -> thrown.set(error));
        return thrown.get();
    }

    private void loseTo(String id) {
        clock.advance(Duration.ofMinutes(1));
        store.intact()
                .claim(List.of(new ClaimRequest(key(id), new Owner("elsewhere"), Duration.ofMinutes(1))))
                .get(0);
    }
}
