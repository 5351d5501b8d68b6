package io.dedup.kafka.internal.settlement;

import static java.util.Objects.requireNonNull;

import io.dedup.DedupOutcome.DeferReason;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Execution;
import io.dedup.adapter.HandlerRun;
import io.dedup.kafka.exception.DeliveryDeferredException;
import io.dedup.kafka.internal.KafkaLog;
import io.dedup.kafka.internal.ack.GivenRecords;
import io.dedup.kafka.internal.ack.PendingDeliveries;
import io.dedup.kafka.internal.ack.PendingDelivery;
import io.dedup.kafka.internal.consumer.BoundConsumer;
import io.dedup.kafka.internal.failure.Rethrow;
import io.dedup.kafka.internal.handler.AsyncResult;
import io.dedup.kafka.internal.spring.CurrentObservation;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.listener.ListenerExecutionFailedException;

/**
 * The future that the handler returned ends a record, or, with {@code asyncAcks}, an acknowledgment of this record alone.
 * Record listeners only: the work of a batch is waited for.
 *
 * <ol>
 *   <li>a record whose work failed after the return is redelivered: its failure is thrown now, for the error handler
 *   <li>wait for room: at most as many records may be open as a poll returns
 *   <li>add the record to those that the handler has; begin, handler
 *   <li>return without a future: ends the record, if acknowledging is left to the container
 *   <li>the future's success, on a thread that may block: complete, then the container's acknowledgment in offset order; its
 *       failure: as below
 *   <li>user code has sought back to the record before its work ended: as a failure, but no error handler is called
 *   <li>failure: release, unless it was acknowledged before; the record is fetched again when everything below it is finished
 * </ol>
 */
final class WhenFutureEnds implements SettlementKind<RecordListenerCall> {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);
    private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final Duration TRY_AGAIN = Duration.ofMillis(20);

    private final DedupAdapter engine;
    private final CurrentObservation observation;
    private final AsyncMode mode;

    WhenFutureEnds(DedupAdapter engine, CurrentObservation observation, AsyncMode mode) {
        this.engine = engine;
        this.observation = observation;
        this.mode = mode;
    }

    @Override
    public Transaction transaction() {
        return Transaction.NONE;
    }

    @Override
    public void called(List<? extends ConsumerRecord<?, ?>> records, BoundConsumer bound) {
        for (ConsumerRecord<?, ?> record : records) {
            Throwable failure = bound.redeliveries().failureOf(record);
            if (failure != null) {
                observation.close(failure);
                throw failure instanceof ListenerExecutionFailedException known ? known : thrown(failure);
            }
            requireRoom(record, bound);
        }
    }

    private static RuntimeException thrown(Throwable failure) {
        return failure instanceof Error
                ? Rethrow.asIs(failure)
                : new ListenerExecutionFailedException(
                        "The future that the handler returned completed exceptionally", failure);
    }

    /**
     * At most as many records may be open as a poll returns: the container, which pauses at that point, doesn't know of
     * them.
     */
    private void requireRoom(ConsumerRecord<?, ?> record, BoundConsumer bound) {
        if (hasRoom(bound)) {
            return;
        }
        long budget = mode.endsWithFuture() ? bound.budget().nanosLeft() : 0;
        long start = System.nanoTime();
        while (!hasRoom(bound) && System.nanoTime() - start < budget) {
            LockSupport.parkNanos(LOOK_AGAIN_NANOS);
        }
        bound.budget().spend(System.nanoTime() - start);
        if (!hasRoom(bound)) {
            throw bound.deferred()
                    .throwing(
                            new DeliveryDeferredException(
                                    DeferReason.IN_FLIGHT, TRY_AGAIN, false, record, record, null),
                            record);
        }
    }

    private boolean hasRoom(BoundConsumer bound) {
        return bound.acks().pending().hasRoom(mode.limit());
    }

    @Override
    public ListenerRun of(RecordListenerCall call) {
        return new Run(call);
    }

    private final class Run extends ClaimedRun {
        private final RecordListenerCall record;
        private final PendingDeliveries pending;
        private @Nullable GivenRecords given;
        private boolean endsLater;

        Run(RecordListenerCall call) {
            super(call);
            this.record = call;
            this.pending = call.bound.acks().pending();
        }

        @Override
        public boolean run() {
            Execution execution = call.executions().get(0);
            if (execution.isTransactional()) {
                execution.giveBack();
                throw new IllegalStateException("Topic " + call.records().get(0).topic()
                        + " has a transactional mode, but the work of its listener ends after its method has returned."
                        + " Return when the work is done, or use mode LEASED");
            }
            given = record.giveAlone();
            return super.run();
        }

        @Override
        public byte @Nullable [] call() {
            record.invoke(given(), mode.endsWithFuture() ? this::endsWith : null);
            if (!endsLater && pending.isGiven(delivery())) { // work that ends later isn't released before its end
                requireNotSoughtBack();
            }
            return null;
        }

        @Override
        public Boolean succeeded(byte @Nullable [] result) {
            given().handlerReturned();
            if (!endsLater && mode.returnEnds(call.bound)) {
                given().acknowledgeAll();
            }
            return false;
        }

        @Override
        public Boolean failed(Throwable thrown) {
            try {
                throw call.failure(thrown, release(thrown));
            } finally {
                given().handlerReturned();
            }
        }

        private GivenRecords given() {
            return requireNonNull(given);
        }

        private PendingDelivery delivery() {
            return given().deliveries().get(0);
        }

        /** Returns whether its lease had been lost. */
        private boolean release(Throwable cause) {
            return call.bound.acks().redeliver(delivery(), cause, !(cause instanceof NotAcknowledgedException));
        }

        /**
         * What is sought back later is a replay of what was done, although that isn't recorded yet: the threads that settle may
         * wait for the store for longer than the lease, and a copy must not run meanwhile.
         *
         * @return why it has failed; null if it has succeeded
         */
        private @Nullable Throwable ended(@Nullable Throwable thrown) {
            Throwable failure = thrown == null ? HandlerRun.stopped(execution()) : thrown;
            if (failure != null) {
                return failure;
            }
            if (pending.isSoughtBack(delivery())) {
                return NotAcknowledgedException.soughtBack(0);
            }
            execution().returned();
            return null;
        }

        /**
         * The work ends with this future.
         *
         * @return completes when the outcome is recorded, with the value; after a failure with null, since the container
         *     would acknowledge a failed record before retrying it
         */
        @SuppressWarnings("FutureReturnValueIgnored") // the returned future covers it
        private CompletableFuture<?> endsWith(CompletableFuture<?> work) {
            endsLater = true;
            CompletableFuture<@Nullable Object> recorded = new CompletableFuture<>();
            Consumer<Throwable> observed = observation.failure();
            if (firstSoughtBack() == 0) {
                pending.seekBack(delivery());
            }
            work.whenComplete((value, thrown) -> {
                Throwable failure = ended(thrown);
                engine.settlements().execute(() -> {
                    try {
                        record(failure, observed);
                    } catch (Throwable e) {
                        log.error("Cannot record the outcome of {}; its record is delivered again", call.container, e);
                        boolean unused = release(e);
                    } finally {
                        recorded.complete(failure == null ? value : null);
                    }
                });
            });
            return recorded;
        }

        private void record(@Nullable Throwable failure, Consumer<Throwable> observed) {
            if (failure == null) {
                given().acknowledgeAll();
            } else if (failure instanceof NotAcknowledgedException) { // its work hasn't failed
                boolean unused = release(failure);
            } else {
                observed.accept(AsyncResult.failure(failure));
                boolean unused = release(AsyncResult.failure(failure));
            }
        }

        private Execution execution() {
            return call.executions().get(0);
        }
    }
}
