package io.dedup.kafka.internal.settlement;

import static java.util.Objects.requireNonNull;

import io.dedup.DedupOutcome.DeferReason;
import io.dedup.kafka.internal.consumer.BoundConsumer;
import io.dedup.kafka.internal.deferral.Deferrals;
import io.dedup.kafka.internal.deferral.PollOffsets;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.kafka.core.KafkaResourceHolder;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.transaction.KafkaAwareTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The Kafka transactions of one container. */
public final class KafkaTransactions {
    private final AbstractMessageListenerContainer<?, ?> container;
    private final Deferrals deferrals;

    public KafkaTransactions(AbstractMessageListenerContainer<?, ?> container, Deferrals deferrals) {
        this.container = container;
        this.deferrals = deferrals;
    }

    /** Whether the container calls its listener in a Kafka transaction that commits the offsets. */
    public boolean areUsed() {
        return container.getContainerProperties().getKafkaAwareTransactionManager()
                instanceof DedupTransactionManager<?, ?>;
    }

    /** Whether a transaction commits all that the container has polled of a partition, and not one record. */
    boolean commitPolls() {
        return container.getContainerProperties().getMessageListener() instanceof BatchMessageListener;
    }

    /**
     * Defers these records while it isn't known whether they have been committed before. The answer is requested after
     * the rollback.
     *
     * @throws io.dedup.kafka.exception.DeliveryDeferredException when it isn't known
     */
    void requireResolved(BoundConsumer bound, List<? extends ConsumerRecord<?, ?>> records) {
        if (bound.transaction().isUnknown(records)) {
            ConsumerRecord<?, ?> first = records.get(0);
            throw bound.deferred().throwing(deferrals.of(DeferReason.COMMIT_UNKNOWN, first, null), first);
        }
    }

    /**
     * Runs work in a Kafka transaction separate from the container's, and commits the offsets of these records in it.
     *
     * @throws RuntimeException what the work throws, or the transaction
     */
    void runApart(
            BoundConsumer bound,
            List<? extends ConsumerRecord<?, ?>> finished,
            Consumer<?, ?> consumer,
            Runnable work) {
        bound.transaction().apart(finished, () -> runApart(finished, consumer, work));
    }

    private void runApart(List<? extends ConsumerRecord<?, ?>> finished, Consumer<?, ?> consumer, Runnable work) {
        KafkaAwareTransactionManager<?, ?> manager =
                requireNonNull(container.getContainerProperties().getKafkaAwareTransactionManager());
        TransactionTemplate apart = new TransactionTemplate(manager);
        apart.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        apart.executeWithoutResult(status -> {
            work.run();
            KafkaResourceHolder<?, ?> holder = (KafkaResourceHolder<?, ?>)
                    requireNonNull(TransactionSynchronizationManager.getResource(manager.getProducerFactory()));
            holder.getProducer()
                    .sendOffsetsToTransaction(PollOffsets.behind(finished, container), consumer.groupMetadata());
        });
    }
}
