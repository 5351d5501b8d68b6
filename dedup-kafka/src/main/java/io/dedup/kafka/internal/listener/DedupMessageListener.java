package io.dedup.kafka.internal.listener;

import io.dedup.DedupContext;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.adapter.Admission;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.RunEnd;
import io.dedup.kafka.internal.Rethrow;
import io.dedup.kafka.internal.WorkMayGoOn;
import io.dedup.kafka.internal.ack.ContainerAck;
import io.dedup.kafka.internal.ack.ManualAcks;
import io.dedup.kafka.internal.ack.NackWatch;
import io.dedup.kafka.internal.ack.PendingDelivery;
import io.dedup.kafka.internal.ack.TrackedAcknowledgment;
import io.dedup.kafka.internal.ack.UnfinishedLimit;
import io.dedup.kafka.internal.consumer.BoundConsumer;
import io.dedup.kafka.internal.deferral.Deferrals;
import io.dedup.kafka.internal.handler.Invocations;
import io.dedup.kafka.internal.handler.Invocations.Invocation;
import io.dedup.kafka.internal.reply.ListenerReplies;
import io.dedup.kafka.internal.reply.ReplyAcknowledgment;
import io.dedup.kafka.internal.reply.ReplyExchange;
import io.dedup.kafka.internal.settlement.AsyncMode;
import io.dedup.kafka.internal.settlement.AsyncRecords;
import io.dedup.kafka.internal.settlement.ContainerServices;
import io.dedup.kafka.internal.settlement.KafkaTransactionRecord;
import io.dedup.kafka.internal.settlement.NotAcknowledged;
import io.dedup.kafka.internal.settlement.NotAcknowledgedException;
import io.dedup.kafka.internal.settlement.RecordCalls;
import io.dedup.kafka.internal.settlement.TransactionAcknowledgment;
import io.dedup.kafka.internal.spring.CurrentObservation;
import io.micrometer.observation.ObservationRegistry;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.ConsumerSeekAware;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.listener.adapter.AsyncRepliesAware;
import org.springframework.kafka.listener.adapter.FilteringMessageListenerAdapter;
import org.springframework.kafka.support.Acknowledgment;

/**
 * Runs a record listener once per message ID.
 *
 * <p>It is a filter for the container, which so hands it the observation registry: a record that isn't given to the
 * listener must have its observation closed here.
 */
public final class DedupMessageListener<K, V> extends FilteringMessageListenerAdapter<K, V>
        implements RecordCalls<K, V>, AsyncRepliesAware {
    private final ContainerServices services;
    private final ListenerReplies replies;
    private final Invocations invocations;
    private final ContainerLifecycle lifecycle;
    private final @Nullable AsyncRecords<K, V> later;
    private final CurrentObservation observation = new CurrentObservation();

    public DedupMessageListener(
            MessageListener<K, V> delegate,
            ContainerServices services,
            ListenerReplies replies,
            Invocations invocations,
            @Nullable AsyncMode mode,
            ContainerLifecycle lifecycle) {
        super(delegate, record -> false);
        this.services = services;
        this.replies = replies;
        this.invocations = invocations;
        this.lifecycle = lifecycle;
        this.later = mode == null
                ? null
                : new AsyncRecords<>(this, services.engine(), services.deliveries(), invocations, mode);
    }

    public ContainerLifecycle lifecycle() {
        return lifecycle;
    }

    @Override
    public void onMessage(
            ConsumerRecord<K, V> record, @Nullable Acknowledgment acknowledgment, @Nullable Consumer<?, ?> consumer) {
        BoundConsumer bound = services.consumers().current();
        bound.deferred().arrived();
        bound.outstanding().begun(record);
        NackWatch watched = acknowledgment == null ? null : new NackWatch(acknowledgment);
        try {
            bound.watched().holding(() -> {
                if (bound.isBehindTooMany(record)) {
                    notRun(record, UnfinishedLimit.deferral(services.deferrals().longestDelay(record)), bound);
                }
                if (later != null
                        && watched != null
                        && !services.kafkaTransactions().areUsed()) {
                    later.onMessage(record, watched, consumer, bound);
                } else {
                    handle(record, watched, consumer, bound);
                }
                return record;
            });
            if (!services.kafkaTransactions().areUsed() && (watched == null || !watched.isNacked())) {
                bound.outstanding().finished(record); // a Kafka transaction has yet to commit
            }
        } catch (Throwable e) { // an error handler may take its time, and have the rest of the poll come again
            bound.claims().giveBack();
            throw e;
        }
    }

    private void handle(
            ConsumerRecord<K, V> record,
            @Nullable Acknowledgment acknowledgment,
            @Nullable Consumer<?, ?> consumer,
            BoundConsumer bound) {
        Delivery delivery = services.deliveries().of(record);
        if (services.kafkaTransactions().areUsed()) {
            new KafkaTransactionRecord(services, replies, bound, record, acknowledgment)
                    .run(() -> admitted(record, delivery, bound), (ack, ctx) -> invoke(record, ack, consumer, ctx));
            return;
        }
        if (acknowledgment == null) {
            Execution execution = admitted(record, delivery, bound);
            if (execution != null && execution.isTransactional()) {
                runInTransaction(record, null, consumer, execution, bound);
            } else if (execution != null) {
                run(record, delivery, consumer, execution, bound);
            }
            return;
        }
        ManualAcks acks = bound.acks();
        // Without a group nothing can be committed: the container's acknowledgment would fail with the attempt.
        ContainerAck ack = bound.commitsOffsets() ? ContainerAck.of(record, acknowledgment) : null;
        PendingDelivery first = acks.pending().firstOf(delivery);
        Execution execution = first == null ? admitted(record, delivery, bound) : null;
        if (execution != null && execution.isTransactional()) {
            runInTransaction(record, acknowledgment, consumer, execution, bound);
            acks.pending().arrivals().finished(record, ack);
        } else if (execution != null) {
            PendingDelivery given = acks.given(record, delivery, execution, ack);
            runUntilAcknowledged(
                    record,
                    new TrackedAcknowledgment(acknowledgment, acks, given, ack, false),
                    consumer,
                    given,
                    execution,
                    bound);
            return;
        } else if (first != null) {
            observation.close(null);
            acks.pending().arrivals().following(first, record, ack);
        } else {
            acks.pending().arrivals().finished(record, ack);
        }
        acks.pending().request(ack);
    }

    @Override
    public @Nullable Execution admitted(ConsumerRecord<K, V> record, Delivery delivery, BoundConsumer bound) {
        if (bound.claims().follows(delivery)) {
            observation.close(null);
            return null;
        }
        Admission admission = bound.claims().admit(delivery, bound.budgetFor(record));
        if (admission instanceof Admission.Run run) {
            return run.execution();
        }
        notRun(record, admission, bound);
        return null;
    }

    /** Returns when the record is to be acked without a run. */
    private void notRun(ConsumerRecord<K, V> record, Admission admission, BoundConsumer bound) {
        if (admission instanceof Admission.Reject reject) {
            observation.close(reject.cause());
            bound.rejected(record);
            throw reject.cause();
        }
        if (admission instanceof Admission.Duplicate duplicate
                && replies.answer(record, duplicate.done(), () -> invoke(record, null, null))) {
            return;
        }
        observation.close(null);
        if (admission instanceof Admission.Defer defer) {
            throw bound.deferred().throwing(Deferrals.of(defer, record), record);
        }
    }

    /** Returns when the record may be acked: its transaction has committed, or its message was done before. */
    private void runInTransaction(
            ConsumerRecord<K, V> record,
            @Nullable Acknowledgment container,
            @Nullable Consumer<?, ?> consumer,
            Execution execution,
            BoundConsumer bound) {
        ReplyExchange reply = replies.of(record, execution);
        RunEnd end = services.engine()
                .run(
                        execution,
                        context -> {
                            TransactionAcknowledgment ack =
                                    container == null ? null : new TransactionAcknowledgment(container, null);
                            replies.call(reply, record, () -> invoke(record, ack, consumer, context));
                            if (ack != null) {
                                ack.handlerReturned(bound.commitsOffsets());
                            }
                            return reply == null ? null : reply.kept();
                        },
                        bound.budgetFor(record));
        if (end instanceof RunEnd.NotRun notRun) {
            notRun(record, notRun.admission(), bound);
        } else if (end instanceof RunEnd.Failed failed) {
            throw failed.cause() instanceof NotAcknowledgedException open
                    ? NotAcknowledged.comesAgain(record, open, services.deferrals(), bound)
                    : Rethrow.asIs(failed.cause());
        } else {
            ReplyExchange.deliverIfAny(reply, record);
        }
    }

    private void run(
            ConsumerRecord<K, V> record,
            Delivery delivery,
            @Nullable Consumer<?, ?> consumer,
            Execution execution,
            BoundConsumer bound) {
        ReplyExchange reply;
        try {
            reply = replies.of(record, execution);
            execution.begin();
            replies.call(reply, record, () -> invoke(record, null, consumer, execution));
        } catch (Throwable e) { // Errors, too: a claim that nobody releases holds the message for its lease
            throw failed(record, e, WorkMayGoOn.fail(services.engine(), List.of(execution), e), bound);
        }
        bound.claims().succeed(execution, delivery, bound.budget());
        ReplyExchange.deliverIfAny(reply, record);
    }

    private void runUntilAcknowledged(
            ConsumerRecord<K, V> record,
            TrackedAcknowledgment acknowledgment,
            @Nullable Consumer<?, ?> consumer,
            PendingDelivery given,
            Execution execution,
            BoundConsumer bound) {
        ReplyExchange reply = replies.of(record, execution);
        ReplyAcknowledgment held = new ReplyAcknowledgment(acknowledgment);
        Acknowledgment ack = reply == null ? acknowledgment : held;
        execution.begin();
        try {
            replies.call(reply, record, () -> invoke(record, ack, consumer, execution));
        } catch (Throwable e) {
            throw failed(record, e, bound.acks().fail(List.of(given), e), bound);
        } finally {
            acknowledgment.handlerReturned();
        }
        held.deliverIfAny(reply, record, () -> bound.acks().finish(List.of(given)));
        if (!bound.commitsOffsets()) {
            acknowledgment.acknowledge(); // the handler's return stands for it; what it has given back stays so
        }
    }

    @Override
    public RuntimeException failed(
            ConsumerRecord<K, V> record, Throwable cause, boolean leaseLost, BoundConsumer bound) {
        if (!leaseLost || cause instanceof Error) {
            return Rethrow.asIs(cause);
        }
        return bound.deferred().throwing(services.deferrals().of(DeferReason.LEASE_LOST, record, cause), record);
    }

    private void invoke(
            ConsumerRecord<K, V> record,
            @Nullable Acknowledgment acknowledgment,
            @Nullable Consumer<?, ?> consumer,
            DedupContext context) {
        invocations.begin(record, new Invocation(context, null));
        try {
            invoke(record, acknowledgment, consumer);
        } finally {
            invocations.end(record);
        }
    }

    @Override
    public void invoke(
            ConsumerRecord<K, V> record, @Nullable Acknowledgment acknowledgment, @Nullable Consumer<?, ?> consumer) {
        switch (delegateType) {
            case ACKNOWLEDGING_CONSUMER_AWARE -> delegate.onMessage(record, acknowledgment, consumer);
            case ACKNOWLEDGING -> delegate.onMessage(record, acknowledgment);
            case CONSUMER_AWARE -> delegate.onMessage(record, consumer);
            case SIMPLE -> delegate.onMessage(record);
        }
    }

    @Override
    public CurrentObservation observation() {
        return observation;
    }

    @Override
    public void setObservationRegistry(ObservationRegistry registry) {
        super.setObservationRegistry(registry);
        observation.in(registry);
    }

    @Override
    public boolean isAsyncReplies() {
        lifecycle.starting(); // the first thing that a starting container asks, on the thread that starts it
        return false;
    }

    @Override
    public void registerSeekCallback(ConsumerSeekCallback callback) {
        lifecycle.consumerStarted(callback);
        super.registerSeekCallback(callback);
    }

    @Override
    public void onPartitionsAssigned(Map<TopicPartition, Long> assignments, ConsumerSeekCallback callback) {
        lifecycle.assigned(assignments.keySet());
        super.onPartitionsAssigned(assignments, callback);
    }

    @Override
    public void onPartitionsRevoked(@Nullable Collection<TopicPartition> partitions) {
        lifecycle.revoked(partitions);
        super.onPartitionsRevoked(partitions);
    }

    @Override
    public void onFirstPoll() {
        if (delegate instanceof ConsumerSeekAware aware) {
            aware.onFirstPoll();
        }
    }

    @Override
    public void unregisterSeekCallback() {
        try {
            if (delegate instanceof ConsumerSeekAware aware) {
                aware.unregisterSeekCallback();
            }
        } finally {
            lifecycle.consumerStopped();
        }
    }
}
