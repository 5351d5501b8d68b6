package io.dedup.kafka.internal.listener;

import io.dedup.DedupContext;
import io.dedup.adapter.Admission;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.poll.ClaimedPoll;
import io.dedup.kafka.internal.ack.ContainerAck;
import io.dedup.kafka.internal.ack.PendingDeliveries;
import io.dedup.kafka.internal.ack.PendingDelivery;
import io.dedup.kafka.internal.ack.UnfinishedLimit;
import io.dedup.kafka.internal.consumer.BoundConsumer;
import io.dedup.kafka.internal.deferral.Deferrals;
import io.dedup.kafka.internal.handler.Invocations;
import io.dedup.kafka.internal.handler.Invocations.Invocation;
import io.dedup.kafka.internal.reply.ListenerReplies;
import io.dedup.kafka.internal.reply.ReplyExchange;
import io.dedup.kafka.internal.settlement.AsyncMode;
import io.dedup.kafka.internal.settlement.ContainerServices;
import io.dedup.kafka.internal.settlement.ListenerRun;
import io.dedup.kafka.internal.settlement.RecordListenerCall;
import io.dedup.kafka.internal.settlement.SettlementKind;
import io.dedup.kafka.internal.settlement.SettlementKind.Transaction;
import io.dedup.kafka.internal.settlement.SettlementKinds;
import io.dedup.kafka.internal.spring.CurrentObservation;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.support.Acknowledgment;

/**
 * Handles each record of one container's record listener: holds it back if necessary, claims it, runs it, settles the
 * run and acknowledges it.
 */
final class RecordPipeline<K, V> {
    /** Calls the user's listener through the method that it implements. */
    @FunctionalInterface
    interface Handler<K, V> {
        void handle(
                ConsumerRecord<K, V> record,
                @Nullable Acknowledgment acknowledgment,
                @Nullable Consumer<?, ?> consumer);
    }

    final ContainerServices services;
    final ListenerReplies replies;
    private final Invocations invocations;
    private final Handler<K, V> handler;
    private final CurrentObservation observation = new CurrentObservation();
    private final SettlementKinds kinds;
    private final PollTransaction<K, V> polls;

    /** @param mode how records end that aren't done when the listener returns; null if there are none */
    RecordPipeline(
            ContainerServices services,
            ListenerReplies replies,
            Invocations invocations,
            @Nullable AsyncMode mode,
            Handler<K, V> handler) {
        this.services = services;
        this.replies = replies;
        this.invocations = invocations;
        this.handler = handler;
        this.polls = new PollTransaction<>(this);
        this.kinds = mode == null ? new SettlementKinds(services) : new SettlementKinds(services, mode, observation);
    }

    /** The observation of a record that the listener isn't given. */
    CurrentObservation observation() {
        return observation;
    }

    /**
     * Returns when the record may be acknowledged, or finishes with its acknowledgment or its future.
     *
     * @param acknowledgment the container's own; null in the automatic ack modes
     * @return whether the container may forget the record, unless it was nacked
     */
    boolean handle(
            ConsumerRecord<K, V> record,
            @Nullable Acknowledgment acknowledgment,
            @Nullable Consumer<?, ?> consumer,
            BoundConsumer bound) {
        if (bound.isBehindTooMany(record)) {
            notRun(record, UnfinishedLimit.deferral(services.deferrals().longestDelay(record)), bound);
        }
        SettlementKind<? super RecordListenerCall> kind = kinds.ofRecord(record.topic(), acknowledgment != null);
        if (acknowledgment == null
                && kind.transaction() == Transaction.DATABASE
                && polls.handles(record, consumer, bound)) {
            observation.close(null);
            return true;
        }
        kind.called(List.of(record), bound);
        Delivery delivery = services.deliveries().of(record);
        boolean byCommit = kind.transaction() == Transaction.KAFKA; // of this and everything else in the transaction
        if (acknowledgment != null && !byCommit) {
            handleInOrder(kind, record, delivery, acknowledgment, consumer, bound);
            return true;
        }
        Execution execution = admitted(record, delivery, bound);
        if (execution != null) {
            runOf(kind, record, execution, acknowledgment, consumer, bound).run();
        }
        if (acknowledgment != null) {
            acknowledgment.acknowledge();
        }
        return !byCommit;
    }

    private void handleInOrder(
            SettlementKind<? super RecordListenerCall> kind,
            ConsumerRecord<K, V> record,
            Delivery delivery,
            Acknowledgment acknowledgment,
            @Nullable Consumer<?, ?> consumer,
            BoundConsumer bound) {
        PendingDeliveries pending = bound.acks().pending();
        PendingDelivery first = pending.firstOf(delivery);
        Execution execution = first == null ? admitted(record, delivery, bound) : null;
        if (execution != null
                && !runOf(kind, record, execution, acknowledgment, consumer, bound)
                        .run()) {
            return;
        }
        // Without a group nothing can be committed: the container's acknowledgment would fail with the attempt.
        ContainerAck ack = bound.commitsOffsets() ? ContainerAck.of(record, acknowledgment) : null;
        if (first != null) {
            if (!answers(record, first.result(), bound)) { // by what the handler returned without acknowledging
                observation.close(null);
            }
            pending.arrivals().following(first, record, ack);
        } else {
            pending.arrivals().finished(record, ack);
        }
        pending.request(ack);
        bound.redeliveries().fetch(); // it may have been the last unfinished record below one to redeliver
    }

    /** If that fails, the claim is released: otherwise it would be renewed for maxProcessingTime. */
    private ListenerRun runOf(
            SettlementKind<? super RecordListenerCall> kind,
            ConsumerRecord<K, V> record,
            Execution execution,
            @Nullable Acknowledgment acknowledgment,
            @Nullable Consumer<?, ?> consumer,
            BoundConsumer bound) {
        try {
            return kind.of(new RecordCall<>(this, record, execution, acknowledgment, consumer, bound));
        } catch (Throwable e) {
            execution.giveBack();
            throw e;
        }
    }

    /** The run that may begin; null if the record is acknowledged without one. */
    private @Nullable Execution admitted(ConsumerRecord<K, V> record, Delivery delivery, BoundConsumer bound) {
        ClaimedPoll claims = bound.claims();
        claims.claimPolled();
        if (claims.skipCopy(delivery)) {
            observation.close(null);
            return null;
        }
        Admission admission = claims.admit(delivery, bound.budgetFor(record));
        if (admission instanceof Admission.Run run) {
            return run.execution();
        }
        notRun(record, admission, bound);
        return null;
    }

    /** Returns when the record may be acknowledged without a run. */
    void notRun(ConsumerRecord<K, V> record, Admission admission, BoundConsumer bound) {
        if (admission instanceof Admission.Reject reject) {
            observation.close(reject.cause());
            bound.rejected(record);
            throw reject.cause();
        }
        if (admission instanceof Admission.Duplicate duplicate
                && answers(record, duplicate.done().result(), bound)) {
            return;
        }
        observation.close(null);
        if (admission instanceof Admission.Defer defer) {
            throw bound.deferred().throwing(Deferrals.of(defer, record), record);
        }
    }

    /** Whether a duplicate request is answered by this result of its message's run. */
    private boolean answers(ConsumerRecord<K, V> record, byte @Nullable [] result, BoundConsumer bound) {
        ReplyExchange kept = replies.of(record, result);
        if (kept != null) {
            call(record, new Answer(kept, bound), null, null);
            kept.deliver(record);
        }
        return kept != null;
    }

    /** Calls the listener. */
    void call(
            ConsumerRecord<K, V> record,
            Invocation invocation,
            @Nullable Acknowledgment acknowledgment,
            @Nullable Consumer<?, ?> consumer) {
        invocations.begin(record, invocation);
        try {
            handler.handle(record, acknowledgment, consumer);
        } finally {
            invocations.end(record);
        }
    }

    /** A duplicate request, which the listener answers without its handler. */
    private record Answer(ReplyExchange reply, BoundConsumer bound) implements Invocation {
        @Override
        public DedupContext context() {
            throw new IllegalStateException("No handler is called for a duplicate");
        }

        @Override
        public boolean isOnThisThread() {
            return bound.isOnItsThread();
        }
    }
}
