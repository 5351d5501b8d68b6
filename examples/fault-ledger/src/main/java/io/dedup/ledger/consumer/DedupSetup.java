package io.dedup.ledger.consumer;

import io.dedup.DedupContext;
import io.dedup.engine.DeduplicatorBuilder;
import io.dedup.engine.Deduplicators;
import io.dedup.kafka.KafkaDedup;
import io.dedup.kafka.KafkaMessageIds;
import io.dedup.ledger.plan.Row;
import io.dedup.ledger.scheme.Stores;
import io.dedup.policy.DedupMode;
import io.dedup.store.DedupStore;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.redis.RedisDedupStore;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.config.MethodKafkaListenerEndpoint;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.messaging.handler.annotation.support.DefaultMessageHandlerMethodFactory;

/** A mode of the framework, as a user would set it up. */
final class DedupSetup implements AutoCloseable {
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final String topic;
    private final KafkaDedup kafka;

    DedupSetup(Assignment assignment, Row row, Stores stores, @Nullable DataSource dataSource) throws Exception {
        this.topic = Assignment.topic(assignment.run(), row);
        try {
            this.kafka = kafka(assignment, row, stores, dataSource);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private KafkaDedup kafka(Assignment assignment, Row row, Stores stores, @Nullable DataSource dataSource) {
        JdbcDedupStore table = dataSource == null
                ? null
                : closing(JdbcDedupStore.builder(dataSource)
                        .table(stores.table("dedup"))
                        .build());
        DedupStore store = row.redisServers() == 0
                ? Objects.requireNonNull(table)
                : closing(RedisDedupStore.builder()
                        .uri(stores.redisUri())
                        .namespace(assignment.run() + "-" + row.id())
                        .commandTimeout(Stores.REDIS_TIMEOUT)
                        .build());
        DedupMode mode = row.mode().orElseThrow();
        DeduplicatorBuilder builder = Deduplicators.builder(store)
                .consumer(topic)
                .topic(
                        topic,
                        policy -> policy.mode(mode)
                                .lease(Stores.LEASE)
                                .maxProcessingTime(Duration.ofSeconds(30))
                                .inFlightWait(Duration.ofMillis(200))
                                .maxDeferDelay(Duration.ofMillis(200)));
        if (mode.isTransactional()) {
            builder.transactions(Objects.requireNonNull(table)
                    .transactions(new JdbcTransactionManager(Objects.requireNonNull(dataSource))));
        }
        return closing(KafkaDedup.builder(closing(builder.build()))
                .id(KafkaMessageIds.header("id"))
                .build());
    }

    private <T extends AutoCloseable> T closing(T closeable) {
        open.push(closeable);
        return closeable;
    }

    /** What an annotated method would be: only such a one is told its attempt. */
    ConcurrentMessageListenerContainer<String, String> container(
            ConsumerFactory<String, String> consumers, SimulatedHandler handler) throws NoSuchMethodException {
        ConcurrentKafkaListenerContainerFactory<String, String> factory =
                new ConcurrentKafkaListenerContainerFactory<>();
        factory.setConsumerFactory(consumers);
        DefaultMessageHandlerMethodFactory methods = new DefaultMessageHandlerMethodFactory();
        methods.afterPropertiesSet();
        MethodKafkaListenerEndpoint<String, String> endpoint = new MethodKafkaListenerEndpoint<>();
        endpoint.setId(topic);
        endpoint.setGroupId(topic);
        endpoint.setTopics(topic);
        endpoint.setBean(new Handler(handler));
        endpoint.setMethod(Handler.class.getMethod("on", ConsumerRecord.class, DedupContext.class));
        endpoint.setMessageHandlerMethodFactory(methods);
        return factory.createListenerContainer(endpoint);
    }

    void decorate(ConcurrentMessageListenerContainer<String, String> container) {
        kafka.decorate(container);
    }

    @Override
    public void close() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }

    /** Public, for spring-kafka. */
    public static final class Handler {
        private final SimulatedHandler handler;

        Handler(SimulatedHandler handler) {
            this.handler = handler;
        }

        public void on(ConsumerRecord<String, String> record, DedupContext context) {
            handler.run(RowListener.message(record), context.attempt());
        }
    }
}
