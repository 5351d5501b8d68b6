package io.dedup.ledger.consumer;

import io.dedup.ledger.plan.Circumstance;
import io.dedup.ledger.plan.Combination;
import io.dedup.ledger.plan.Shape;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.config.MethodKafkaListenerEndpoint;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.DefaultAfterRollbackProcessor;
import org.springframework.messaging.handler.annotation.support.DefaultMessageHandlerMethodFactory;

/** Containers for a mode of the framework, in each {@link Shape} but that of retry topics. */
final class DedupContainers {
    private DedupContainers() {}

    /**
     * Equivalent to an annotated method: only those can see their attempt.
     *
     * @param transactions null outside of Kafka transactions
     */
    static ConcurrentMessageListenerContainer<String, String> of(
            String topic,
            Combination combination,
            Object handler,
            ConsumerFactory<String, String> consumers,
            ErrorHandlers errors,
            @Nullable OutputProducers transactions) {
        Shape shape = combination.shape();
        ConcurrentKafkaListenerContainerFactory<String, String> factory =
                new ConcurrentKafkaListenerContainerFactory<>();
        factory.setConsumerFactory(consumers);
        factory.setBatchListener(shape.isBatch());
        factory.setConcurrency(combination.threads());
        DefaultMessageHandlerMethodFactory methods = new DefaultMessageHandlerMethodFactory();
        methods.afterPropertiesSet();
        MethodKafkaListenerEndpoint<String, String> endpoint = new MethodKafkaListenerEndpoint<>();
        endpoint.setId(topic);
        endpoint.setGroupId(topic);
        endpoint.setTopics(topic);
        endpoint.setBean(handler);
        endpoint.setMethod(Handlers.method(handler));
        endpoint.setMessageHandlerMethodFactory(methods);
        if (combination.has(Circumstance.SEEKS_BACK)) {
            endpoint.setErrorHandler(new SeekingBack());
        }
        ContainerProperties properties = factory.getContainerProperties();
        properties.setAckMode(ackMode(shape));
        properties.setAsyncAcks(shape == Shape.ASYNC_ACKS);
        if (transactions != null) {
            properties.setKafkaAwareTransactionManager(transactions.manager());
        }
        ConcurrentMessageListenerContainer<String, String> container = factory.createListenerContainer(endpoint);
        if (transactions == null) {
            container.setCommonErrorHandler(errors.handler(combination.has(Circumstance.POLLING_ERROR_HANDLER)));
        } else {
            DefaultAfterRollbackProcessor<String, String> processor =
                    errors.afterRollback(transactions, shape.isBatch());
            container.setAfterRollbackProcessor(processor);
            container
                    .getContainerProperties()
                    .setBatchRecoverAfterRollback(true); // else a batch's poison is tried for ever
        }
        if (combination.has(Circumstance.INTERCEPTED)) {
            container.setRecordInterceptor((record, consumer) -> RowListener.isCopy(record) ? null : record);
            container.setBatchInterceptor((records, consumer) -> RowListener.withoutCopies(records));
        }
        return container;
    }

    private static AckMode ackMode(Shape shape) {
        return switch (shape) {
            case RECORD, BATCH, FUTURE, RETRY_TOPIC, KAFKA_TRANSACTION, KAFKA_TRANSACTION_BATCH, SHARE_GROUP ->
                AckMode.BATCH;
            case RECORD_ACK -> AckMode.RECORD;
            case ASYNC_ACKS, MANUAL, BATCH_MANUAL -> AckMode.MANUAL;
            case MANUAL_IMMEDIATE -> AckMode.MANUAL_IMMEDIATE;
        };
    }
}
