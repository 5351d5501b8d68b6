package io.dedup.kafka.internal.settlement;

import static java.util.Objects.requireNonNull;

import io.dedup.kafka.internal.deferral.PollOffsets;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.kafka.core.KafkaResourceHolder;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.transaction.KafkaAwareTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A Kafka transaction beside the container's, for a part of a poll. */
public final class KafkaTransactionPart {
    private KafkaTransactionPart() {}

    /**
     * Runs work in a transaction of its own, which commits the offsets of these records.
     *
     * @throws RuntimeException what the work throws, or the transaction
     */
    public static void run(
            AbstractMessageListenerContainer<?, ?> container,
            List<? extends ConsumerRecord<?, ?>> finished,
            Consumer<?, ?> consumer,
            Runnable work) {
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
