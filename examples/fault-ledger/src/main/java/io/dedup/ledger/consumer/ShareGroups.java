package io.dedup.ledger.consumer;

import io.dedup.kafka.exception.DeliveryDeferredException;
import io.dedup.ledger.plan.Combination;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.kafka.core.DefaultShareConsumerFactory;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.ShareAckMode;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.listener.ShareKafkaMessageListenerContainer;

/** Containers for share groups. The broker counts each delivery, and archives a record after the last. */
final class ShareGroups {
    private static final int POISON_DELIVERIES = 3;

    private ShareGroups() {}

    /** What fails is released, and goes to the dead letters when it is poison, or in its last delivery. */
    static ShareKafkaMessageListenerContainer<String, String> container(
            String bootstrap,
            String topic,
            Combination combination,
            SimulatedHandler handler,
            DedupSetup dedup,
            Consumer<ConsumerRecord<?, ?>> deadLetters) {
        DefaultShareConsumerFactory<String, String> consumers = new DefaultShareConsumerFactory<>(
                Map.of(
                        "bootstrap.servers",
                        bootstrap,
                        "group.id",
                        topic,
                        "max.poll.records",
                        combination.maxPollRecords(),
                        "fetch.max.wait.ms",
                        50),
                new StringDeserializer(),
                new StringDeserializer(),
                true);
        ContainerProperties properties = new ContainerProperties(topic);
        properties.setShareAckMode(ShareAckMode.EXPLICIT);
        properties.setMessageListener((MessageListener<String, String>) record -> {
            handler.run(RowListener.message(record), dedup.attempts().of(record));
        });
        var container = dedup.kafka().shareGroups().container(consumers, properties);
        container.setBeanName(topic);
        container.setConcurrency(combination.threads());
        container.setShareConsumerRecordRecoverer((record, failure) -> {
            int deliveries = record.deliveryCount().orElseThrow();
            boolean poison = NestedExceptionUtils.getMostSpecificCause(failure) instanceof PoisonException;
            boolean last = failure instanceof DeliveryDeferredException || deliveries >= Assignment.SHARE_DELIVERIES;
            if (last || (poison && deliveries >= POISON_DELIVERIES)) {
                deadLetters.accept(record);
                return AcknowledgeType.ACCEPT;
            }
            return AcknowledgeType.RELEASE;
        });
        return container;
    }
}
