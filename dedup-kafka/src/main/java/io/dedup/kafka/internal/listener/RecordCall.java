package io.dedup.kafka.internal.listener;

import static java.util.Objects.requireNonNull;

import io.dedup.DedupContext;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.adapter.Admission;
import io.dedup.adapter.Execution;
import io.dedup.adapter.HandlerRun;
import io.dedup.adapter.TransactionalRun;
import io.dedup.kafka.internal.KafkaLog;
import io.dedup.kafka.internal.ack.ContainerAck;
import io.dedup.kafka.internal.ack.GivenRecords;
import io.dedup.kafka.internal.ack.PendingDelivery;
import io.dedup.kafka.internal.ack.TrackedAcknowledgment;
import io.dedup.kafka.internal.consumer.BoundConsumer;
import io.dedup.kafka.internal.deferral.Deferrals;
import io.dedup.kafka.internal.failure.Rethrow;
import io.dedup.kafka.internal.handler.Invocations.Invocation;
import io.dedup.kafka.internal.reply.ReplyExchange;
import io.dedup.kafka.internal.settlement.NotAcknowledgedException;
import io.dedup.kafka.internal.settlement.RecordListenerCall;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.support.Acknowledgment;

/** A call of a record listener with one record. */
final class RecordCall<K, V> extends RecordListenerCall implements Invocation {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);

    private final RecordPipeline<K, V> pipeline;
    private final ConsumerRecord<K, V> record;
    private final @Nullable Consumer<?, ?> consumer;
    private List<Execution> executions;
    private @Nullable TrackedAcknowledgment tracked;
    private @Nullable ReplyExchange reply;

    RecordCall(
            RecordPipeline<K, V> pipeline,
            ConsumerRecord<K, V> record,
            Execution execution,
            @Nullable Acknowledgment container,
            @Nullable Consumer<?, ?> consumer,
            BoundConsumer bound) {
        super(bound, container);
        this.pipeline = pipeline;
        this.record = record;
        this.executions = List.of(execution);
        this.consumer = consumer;
    }

    @Override
    protected void callListener(@Nullable Acknowledgment acknowledgment) {
        reply = returnEnds() ? pipeline.replies.of(record, execution()) : null;
        Acknowledgment handed = reply != null && tracked != null ? reply.holdBack(tracked) : acknowledgment;
        pipeline.call(record, this, handed, consumer);
    }

    private Execution execution() {
        return executions.get(0);
    }

    @Override
    public DedupContext context() {
        return execution();
    }

    @Override
    public @Nullable ReplyExchange reply() {
        return reply;
    }

    @Override
    public boolean isOnThisThread() {
        return bound.isOnItsThread();
    }

    @Override
    public boolean mayEndLater() {
        return later() != null;
    }

    @Override
    public CompletableFuture<?> endsWith(CompletableFuture<?> work) {
        return requireNonNull(later()).apply(work);
    }

    @Override
    public List<ConsumerRecord<K, V>> records() {
        return List.of(record);
    }

    @Override
    protected List<Execution> executions() {
        return executions;
    }

    @Override
    protected RuntimeException failure(Throwable thrown, boolean leaseLost) {
        if (thrown instanceof NotAcknowledgedException open) {
            return redelivered(open);
        }
        if (HandlerRun.isDeferral(leaseLost, thrown)) {
            Deferrals deferrals = pipeline.services.deferrals();
            return bound.deferred().throwing(deferrals.of(DeferReason.LEASE_LOST, record, thrown), record);
        }
        return Rethrow.asIs(thrown);
    }

    /** Defers the record, with a warning unless the handler called {@code nack}. */
    private RuntimeException redelivered(NotAcknowledgedException open) {
        if (!open.isNack()) {
            log.warn(
                    "Rolled back the message in topic {}, partition {}, offset {}: {}",
                    record.topic(),
                    record.partition(),
                    record.offset(),
                    open.getMessage());
        }
        return bound.deferred()
                .throwing(
                        Deferrals.of(
                                DeferReason.ROLLED_BACK,
                                open.sleep(pipeline.services.deferrals().longestDelay(record)),
                                record,
                                open),
                        record);
    }

    @Override
    protected void complete(List<Execution> done) {
        bound.claims().succeed(execution(), bound.budget());
    }

    @Override
    protected byte @Nullable [] kept() {
        return reply == null ? null : reply.kept();
    }

    @Override
    protected void deliverReply() {
        if (reply != null) {
            reply.deliver(
                    record, () -> bound.acks().finish(requireNonNull(tracked).deliveries()));
        }
    }

    @Override
    protected GivenRecords give() {
        return give(false);
    }

    @Override
    protected GivenRecords giveAlone() {
        return give(true);
    }

    /** @param single whether the acknowledgment covers this record alone */
    private GivenRecords give(boolean single) {
        Acknowledgment ofContainer = requireNonNull(container);
        ContainerAck ack = ackOf(ofContainer);
        PendingDelivery given = bound.acks().given(record, execution(), ack);
        TrackedAcknowledgment made = new TrackedAcknowledgment(ofContainer, bound.acks(), given, ack, single);
        tracked = made;
        return made;
    }

    /** Null without a group: nothing can be committed, and the container's acknowledgment would fail. */
    private @Nullable ContainerAck ackOf(Acknowledgment ofContainer) {
        try {
            return bound.commitsOffsets() ? ContainerAck.of(record, ofContainer) : null;
        } catch (Throwable e) { // out of memory: otherwise the claim would be renewed for maxProcessingTime
            execution().giveBack();
            throw e;
        }
    }

    @Override
    protected @Nullable TransactionalRun open() {
        TransactionalRun run = pipeline.services.engine().open(executions, true, bound.budgetFor(record));
        if (run.admissions().get(0) instanceof Admission.Run) {
            executions = run.executions();
            return run;
        }
        undone(run.admissions().get(0));
        return null;
    }

    @Override
    protected void undone(Admission instead) {
        pipeline.notRun(record, instead, bound);
    }
}
