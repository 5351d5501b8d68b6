package io.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupOutcome.DeferReason;
import io.dedup.DedupOutcome.Deferred;
import io.dedup.DedupOutcome.Handled;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.MessageOrigin;
import io.dedup.adapter.RunEnd;
import io.dedup.adapter.WaitBudget;
import io.dedup.duplicate.DuplicateCause;
import io.dedup.duplicate.MessagePlace;
import io.dedup.policy.DedupMode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** What a transaction bounds: its thread, its end, the engine's end. */
class TransactionalEndsTest extends TransactionalTestBase {
    @Test
    void stagesAreRefused() {
        Deduplicator dedup = in(DedupMode.TRANSACTIONAL);

        assertThatThrownBy(() -> dedup.executeAsync(
                        DedupCall.<String>of(key("a")), context -> CompletableFuture.completedStage("x")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("one thread");
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = LEASED)
    @DisplayName("an adapter that doesn't know of transactions cannot record a success past them")
    void pastTheTransaction(DedupMode mode) {
        Deduplicator dedup = in(mode);
        Delivery delivery = Delivery.of(dedup.topic(TOPIC), "a", null, () -> "a test");
        Admission.Run admitted = (Admission.Run) DedupAdapter.of(dedup).admit(delivery, WaitBudget.none());

        assertThatThrownBy(() -> admitted.execution().succeed(null, WaitBudget.none()))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> DedupAdapter.of(dedup).succeedAll(List.of(admitted.execution()), WaitBudget.none()))
                .isInstanceOf(IllegalStateException.class);
        admitted.execution().giveBack();
        assertThat(dedup.execute(key("a"), this::run)).isInstanceOf(Handled.class);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = LEASED)
    @DisplayName("an Error between the handler's end and the commit rolls back: the message is handled again")
    void errorBeforeTheCommit(DedupMode mode) {
        Deduplicator dedup = in(mode, policy -> policy.explainDuplicates(true));
        Error error = new InternalError("of a test");
        Delivery delivery = Delivery.of(dedup.topic(TOPIC), "a", null, new FailingPlace(error));

        assertThat(run(dedup, delivery))
                .isInstanceOfSatisfying(
                        RunEnd.Failed.class,
                        failed -> assertThat(failed.cause()).isSameAs(error));

        assertThat(records.calls()).containsOnlyOnce("rollback").doesNotContain("commit");
        assertThat(records.open()).isZero();
        assertThat(DedupAdapter.of(dedup).inFlight()).isZero();
        assertThat(run(dedup, Delivery.of(dedup.topic(TOPIC), "a", null, () -> "a test")))
                .isInstanceOf(RunEnd.Handled.class);
        assertThat(records.effects()).containsExactly("a");
    }

    private RunEnd run(Deduplicator dedup, Delivery delivery) {
        DedupAdapter engine = DedupAdapter.of(dedup);
        Admission.Run admitted = (Admission.Run) engine.admit(delivery, WaitBudget.none());
        return engine.run(
                admitted.execution(),
                execution -> {
                    records.effect("a");
                    return new byte[1];
                },
                WaitBudget.none());
    }

    /** Asked for when a success is written. */
    private record FailingPlace(Error error) implements MessageOrigin {
        @Override
        public String get() {
            return "a test";
        }

        @Override
        public MessagePlace place() {
            throw error;
        }

        @Override
        public DuplicateCause causeAfter(MessagePlace first) {
            return DuplicateCause.UNKNOWN;
        }
    }

    @Test
    void closingWaitsForTheTransaction() throws Exception {
        records = apart;
        Deduplicator dedup = deduplicator(
                store,
                policy -> policy.mode(DedupMode.TRANSACTIONAL),
                builder -> builder.transactions(records).shutdownTimeout(Duration.ofSeconds(30)));
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        CompletableFuture<DedupOutcome<String>> outcome =
                CompletableFuture.supplyAsync(() -> dedup.execute(key("a"), context -> {
                    running.countDown();
                    awaitUninterruptibly(goOn);
                    return run(context);
                }));
        running.await();
        CompletableFuture<Void> closing = CompletableFuture.runAsync(dedup::close);
        await().until(() -> dedup.execute(key("b"), this::run) instanceof Deferred);
        assertThat(closing).isNotDone();

        goOn.countDown();

        assertThat(outcome.get(10, TimeUnit.SECONDS)).isInstanceOf(Handled.class);
        closing.get(10, TimeUnit.SECONDS);
    }

    @Test
    void aRunThatWasAdmittedBeforeTheEndAndBeginsAfterItIsDeferred() {
        Deduplicator dedup = in(DedupMode.TRANSACTIONAL);
        Delivery delivery = Delivery.of(dedup.topic(TOPIC), "a", null, () -> "a test");
        Admission.Run admitted = (Admission.Run) DedupAdapter.of(dedup).admit(delivery, WaitBudget.none());
        dedup.close();

        RunEnd end = DedupAdapter.of(dedup).run(admitted.execution(), execution -> new byte[0], WaitBudget.none());

        assertThat(end)
                .isInstanceOfSatisfying(
                        RunEnd.NotHandled.class,
                        notRun -> assertThat(notRun.admission())
                                .isInstanceOfSatisfying(
                                        Admission.Defer.class,
                                        defer -> assertThat(defer.reason()).isEqualTo(DeferReason.CLOSED)));
        assertThat(records.calls()).isEmpty();
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
