package io.dedup.failover.load;

import io.dedup.DedupContext;
import io.dedup.kafka.KafkaDedup;
import io.dedup.kafka.id.KafkaMessageIds;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.config.MethodKafkaListenerEndpoint;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.messaging.handler.annotation.support.DefaultMessageHandlerMethodFactory;
import org.springframework.util.backoff.FixedBackOff;

/**
 * The consumers of a Kafka topic, one group: each a listener container of its own with a {@link Handling} of its own, as if in
 * a process of its own. Closing it stops them.
 */
public final class KafkaConsumers implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(KafkaConsumers.class);
    private static final long RETRY_MILLIS = 100;

    private final Closeables open = new Closeables();

    /** Starts this number of consumers. */
    public KafkaConsumers(String bootstrap, String topic, int count, Handling.Factory handlings) throws Exception {
        try {
            for (int i = 0; i < count; i++) {
                start(bootstrap, topic, i, open.add(handlings.open(topic)));
            }
        } catch (Exception | Error e) {
            close();
            throw e;
        }
    }

    private void start(String bootstrap, String topic, int number, Handling handling) throws NoSuchMethodException {
        KafkaDedup dedup = open.add(KafkaDedup.builder(handling.deduplicator())
                .id(KafkaMessageIds.header(KafkaTopic.ID))
                .build());
        ConcurrentMessageListenerContainer<String, String> container = container(bootstrap, topic, number, handling);
        dedup.decorate(container);
        open.add(container::stop);
        container.start();
    }

    private static ConcurrentMessageListenerContainer<String, String> container(
            String bootstrap, String topic, int number, Handling handling) throws NoSuchMethodException {
        ConcurrentKafkaListenerContainerFactory<String, String> factory =
                new ConcurrentKafkaListenerContainerFactory<>();
        factory.setConsumerFactory(consumers(bootstrap));
        factory.setCommonErrorHandler(
                new DefaultErrorHandler(new FixedBackOff(RETRY_MILLIS, FixedBackOff.UNLIMITED_ATTEMPTS)));
        DefaultMessageHandlerMethodFactory methods = new DefaultMessageHandlerMethodFactory();
        methods.afterPropertiesSet();
        // Equivalent to an annotated method: only those have a DedupContext.
        MethodKafkaListenerEndpoint<String, String> endpoint = new MethodKafkaListenerEndpoint<>();
        endpoint.setId(topic + "-" + number);
        endpoint.setGroupId(topic);
        endpoint.setTopics(topic);
        endpoint.setBean(new Handler(handling));
        endpoint.setMethod(Handler.class.getMethod("on", ConsumerRecord.class, DedupContext.class));
        endpoint.setMessageHandlerMethodFactory(methods);
        return factory.createListenerContainer(endpoint);
    }

    private static DefaultKafkaConsumerFactory<String, String> consumers(String bootstrap) {
        Map<String, Object> config = new HashMap<>();
        config.put("bootstrap.servers", bootstrap);
        config.put("auto.offset.reset", "earliest");
        config.put("max.poll.records", 100);
        config.put("fetch.max.wait.ms", 100);
        config.put("session.timeout.ms", 6_000);
        config.put("heartbeat.interval.ms", 1_000);
        config.put("metadata.max.age.ms", 5_000);
        config.put("partition.assignment.strategy", CooperativeStickyAssignor.class.getName());
        return new DefaultKafkaConsumerFactory<>(config, new StringDeserializer(), new StringDeserializer());
    }

    @Override
    public void close() {
        open.close();
    }

    /** Public, for spring-kafka. */
    public static final class Handler {
        private final Handling handling;

        Handler(Handling handling) {
            this.handling = handling;
        }

        public void on(ConsumerRecord<String, String> record, DedupContext context) {
            log.debug("{}, attempt {}: {}-{}", record.value(), context.attempt(), record.partition(), record.offset());
            handling.handle(record.value(), context.attempt());
        }
    }
}
