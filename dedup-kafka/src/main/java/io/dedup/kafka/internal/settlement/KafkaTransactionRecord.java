package io.dedup.kafka.internal.settlement;

import io.dedup.DedupContext;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.adapter.Execution;
import io.dedup.kafka.internal.Rethrow;
import io.dedup.kafka.internal.WorkMayGoOn;
import io.dedup.kafka.internal.consumer.BoundConsumer;
import io.dedup.kafka.internal.reply.ListenerReplies;
import io.dedup.kafka.internal.reply.ReplyExchange;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.support.Acknowledgment;

/**
 * One record in the container's Kafka transaction, which commits what the handler sends together with the offset. Its claim
 * is kept until the transaction has ended.
 */
public final class KafkaTransactionRecord {
    private final ContainerServices services;
    private final ListenerReplies replies;
    private final BoundConsumer bound;
    private final ConsumerRecord<?, ?> record;
    private final @Nullable Acknowledgment container;

    public KafkaTransactionRecord(
            ContainerServices services,
            ListenerReplies replies,
            BoundConsumer bound,
            ConsumerRecord<?, ?> record,
            @Nullable Acknowledgment container) {
        this.services = services;
        this.replies = replies;
        this.bound = bound;
        this.record = record;
        this.container = container;
    }

    /**
     * Returns when the record may be committed.
     *
     * @param admitted asks for the run; null when the record is to be acked without one
     * @param handler is called with an acknowledgment in the manual ack modes
     */
    public void run(
            Supplier<@Nullable Execution> admitted, BiConsumer<@Nullable Acknowledgment, DedupContext> handler) {
        bound.transaction().begin(List.of(record));
        services.kafkaTransactions().requireResolved(bound, List.of(record));
        Execution execution = admitted.get();
        if (execution != null) {
            handle(execution, ack -> handler.accept(ack, execution));
            bound.transaction().handled(List.of(execution), List.of(record));
        }
        if (container != null) {
            container.acknowledge();
        }
    }

    private void handle(Execution execution, Consumer<@Nullable Acknowledgment> handler) {
        try {
            TransactionAcknowledgment ack = container == null ? null : new TransactionAcknowledgment(container, null);
            ReplyExchange reply = replies.of(record, execution);
            execution.begin();
            replies.call(reply, record, () -> handler.accept(ack));
            if (ack != null) {
                ack.handlerReturned(true);
            }
        } catch (Throwable e) { // Errors, too: a claim that nobody releases holds the message for its lease
            // At once, and not after the rollback: what the handler has sent in this transaction never becomes visible.
            boolean leaseLost = WorkMayGoOn.fail(services.engine(), List.of(execution), e);
            throw failed(e, leaseLost);
        }
    }

    private RuntimeException failed(Throwable thrown, boolean leaseLost) {
        if (thrown instanceof NotAcknowledgedException open) {
            return NotAcknowledged.comesAgain(record, open, services.deferrals(), bound);
        }
        if (!leaseLost || thrown instanceof Error) {
            return Rethrow.asIs(thrown);
        }
        return bound.deferred().throwing(services.deferrals().of(DeferReason.LEASE_LOST, record, thrown), record);
    }
}
