package io.dedup.kafka.internal.settlement;

import io.dedup.DedupOutcome.DeferReason;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.kafka.exception.DeliveryDeferredException;
import io.dedup.kafka.internal.KafkaLog;
import io.dedup.kafka.internal.Rethrow;
import io.dedup.kafka.internal.WorkMayGoOn;
import io.dedup.kafka.internal.ack.ContainerAck;
import io.dedup.kafka.internal.ack.PendingDeliveries;
import io.dedup.kafka.internal.ack.PendingDelivery;
import io.dedup.kafka.internal.ack.TrackedAcknowledgment;
import io.dedup.kafka.internal.consumer.BoundConsumer;
import io.dedup.kafka.internal.handler.AsyncResult;
import io.dedup.kafka.internal.handler.Invocations;
import io.dedup.kafka.internal.handler.Invocations.Invocation;
import io.dedup.kafka.internal.record.RecordDeliveries;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.listener.ListenerExecutionFailedException;
import org.springframework.kafka.support.Acknowledgment;

/**
 * Records whose work goes on when their listener has returned, each until its own end: the future that the handler returned,
 * or, with {@code asyncAcks}, the acknowledgment. The container is told in the order of the offsets.
 */
public final class AsyncRecords<K, V> {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);
    private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final Duration TRY_AGAIN = Duration.ofMillis(20);

    private final RecordCalls<K, V> listener;
    private final DedupAdapter engine;
    private final RecordDeliveries deliveries;
    private final Invocations invocations;
    private final AsyncMode mode;

    public AsyncRecords(
            RecordCalls<K, V> listener,
            DedupAdapter engine,
            RecordDeliveries deliveries,
            Invocations invocations,
            AsyncMode mode) {
        this.listener = listener;
        this.engine = engine;
        this.deliveries = deliveries;
        this.invocations = invocations;
        this.mode = mode;
    }

    public void onMessage(
            ConsumerRecord<K, V> record,
            Acknowledgment acknowledgment,
            @Nullable Consumer<?, ?> consumer,
            BoundConsumer bound) {
        Throwable failure = bound.redeliveries().failureOf(record);
        if (failure != null) {
            listener.observation().close(failure);
            throw failure instanceof ListenerExecutionFailedException known ? known : thrown(failure);
        }
        requireRoom(record, bound);
        Delivery delivery = deliveries.of(record);
        // Without a group nothing can be committed: the container's acknowledgment would fail with the attempt.
        ContainerAck ack = bound.commitsOffsets() ? ContainerAck.of(record, acknowledgment) : null;
        PendingDeliveries pending = bound.acks().pending();
        PendingDelivery first = pending.firstOf(delivery);
        Execution execution = first == null ? listener.admitted(record, delivery, bound) : null;
        if (execution != null) {
            run(record, delivery, new Given(execution, ack, acknowledgment), consumer, bound);
            return;
        }
        if (first != null) {
            listener.observation().close(null);
            pending.arrivals().following(first, record, ack);
        } else {
            pending.arrivals().finished(record, ack);
        }
        pending.request(ack);
        bound.redeliveries().fetch();
    }

    private record Given(Execution execution, @Nullable ContainerAck ack, Acknowledgment acknowledgment) {}

    private static RuntimeException thrown(Throwable failure) {
        return failure instanceof Error
                ? Rethrow.asIs(failure)
                : new ListenerExecutionFailedException("What the handler returned has failed", failure);
    }

    /** As many records may be open as a poll brings: the container, which pauses then, doesn't know of them. */
    private void requireRoom(ConsumerRecord<K, V> record, BoundConsumer bound) {
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

    private void run(
            ConsumerRecord<K, V> record,
            Delivery delivery,
            Given given,
            @Nullable Consumer<?, ?> consumer,
            BoundConsumer bound) {
        Execution execution = given.execution();
        if (execution.isTransactional()) {
            execution.giveBack();
            throw new IllegalStateException("topic " + record.topic()
                    + " has a transactional mode, but the work of its listener ends later than its call");
        }
        PendingDelivery pending = bound.acks().given(record, delivery, execution, given.ack());
        TrackedAcknowledgment tracked =
                new TrackedAcknowledgment(given.acknowledgment(), bound.acks(), pending, given.ack(), true);
        Ending ending = new Ending(bound, pending, given);
        execution.begin();
        invocations.begin(record, new Invocation(execution, mode.endsWithFuture() ? ending::with : null));
        try {
            listener.invoke(record, tracked, consumer);
        } catch (Throwable e) {
            throw listener.failed(record, e, failed(pending, execution, bound, e), bound);
        } finally {
            invocations.end(record);
            tracked.handlerReturned();
        }
        if (!ending.later && mode.returnEnds(bound)) {
            bound.acks().acknowledgeOnly(pending, given.ack());
        }
    }

    /** Whether its lease was lost before. What was acknowledged before stays done: the store may not have been told yet. */
    private boolean failed(PendingDelivery given, Execution execution, BoundConsumer bound, Throwable cause) {
        if (bound.acks().pending().closeOnly(List.of(given), null).isEmpty()) {
            return false;
        }
        boolean leaseLost = false;
        try {
            leaseLost = WorkMayGoOn.fail(engine, List.of(execution), cause);
        } finally { // on an Error, too: nothing above an unfinished record is committed
            bound.redeliveries().failed(given, leaseLost ? null : cause);
        }
        return leaseLost;
    }

    /** Of one record's work. */
    private final class Ending {
        private final BoundConsumer bound;
        private final PendingDelivery pending;
        private final Given given;
        private boolean later;

        Ending(BoundConsumer bound, PendingDelivery pending, Given given) {
            this.bound = bound;
            this.pending = pending;
            this.given = given;
        }

        /**
         * The work ends with this future.
         *
         * @return ends when the store was told, with the value; with null after a failure, which the container would
         *     acknowledge before it retries it
         */
        @SuppressWarnings("FutureReturnValueIgnored") // what is done with it ends with what is returned
        CompletableFuture<?> with(CompletableFuture<?> work) {
            later = true;
            CompletableFuture<@Nullable Object> told = new CompletableFuture<>();
            java.util.function.Consumer<Throwable> observation =
                    listener.observation().failure();
            work.whenComplete((value, failure) -> mode.completionThreads().execute(() -> {
                try {
                    if (failure == null) {
                        bound.acks().acknowledgeOnly(pending, given.ack());
                    } else {
                        observation.accept(AsyncResult.failure(failure));
                        boolean unused = failed(pending, given.execution(), bound, AsyncResult.failure(failure));
                    }
                } catch (Throwable e) {
                    log.error("The end of {} couldn't be recorded; its lease runs out", given.acknowledgment(), e);
                } finally {
                    told.complete(failure == null ? value : null);
                }
            }));
            return told;
        }
    }
}
