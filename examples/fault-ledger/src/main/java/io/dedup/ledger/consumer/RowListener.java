package io.dedup.ledger.consumer;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.ledger.plan.Message;
import io.dedup.ledger.plan.Row;
import io.dedup.ledger.scheme.Scheme;
import io.dedup.ledger.scheme.Stores;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.DeadLetterPublishingRecoverer;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.util.backoff.FixedBackOff;

/** One row's listener, and all that belongs to it. */
final class RowListener implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(RowListener.class);
    private static final long RETRY_MILLIS = 100;
    private static final long POISON_RETRIES = 2;
    private static final String ID_HEADER = "id";

    private final Assignment assignment;
    private final Row row;
    private final Stores stores;
    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    RowListener(Assignment assignment, Assignment.Place place) {
        this.assignment = assignment;
        this.row = place.row();
        this.stores = assignment.stores(place);
    }

    void start() throws Exception {
        HikariDataSource pool = row.database() ? closing(stores.pool()) : null;
        JdbcTemplate jdbc = pool == null ? null : new JdbcTemplate(pool);
        SimulatedHandler handler = new SimulatedHandler(effect(jdbc), row.effect() == Row.Effect.ROW);
        ConcurrentMessageListenerContainer<String, String> container;
        if (row.mode().isPresent()) {
            DedupSetup dedup = closing(new DedupSetup(assignment, row, stores, pool));
            container = dedup.container(consumers(), handler);
            container.setCommonErrorHandler(errorHandler());
            dedup.decorate(container);
        } else {
            Scheme scheme = closing(Schemes.of(row, stores, jdbc));
            container = container(record -> handle(scheme, handler, record));
            container.setCommonErrorHandler(errorHandler());
        }
        container.start();
    }

    private <T extends AutoCloseable> T closing(T closeable) {
        open.push(closeable);
        return closeable;
    }

    private SimulatedHandler.Effect effect(@Nullable JdbcTemplate jdbc) {
        if (row.effect() == Row.Effect.ROW && jdbc != null) {
            String insert = "INSERT INTO " + stores.table("effect") + " (id, attempt) VALUES (?, ?)";
            return (id, attempt) -> jdbc.update(insert, id, attempt);
        }
        EffectClient client = new EffectClient(assignment.effectsPort());
        return (id, attempt) -> client.call(row.id(), id, attempt);
    }

    private static void handle(Scheme scheme, SimulatedHandler handler, ConsumerRecord<String, String> record) {
        Message message = message(record);
        try {
            scheme.handle(message.id(), () -> handler.run(message, 0));
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    static Message message(ConsumerRecord<String, String> record) {
        String id = new String(record.headers().lastHeader(ID_HEADER).value(), StandardCharsets.UTF_8);
        return Message.of(id, record.value());
    }

    private ConcurrentMessageListenerContainer<String, String> container(MessageListener<String, String> listener) {
        ContainerProperties properties = new ContainerProperties(Assignment.topic(assignment.run(), row));
        properties.setMessageListener(listener);
        ConcurrentMessageListenerContainer<String, String> container =
                new ConcurrentMessageListenerContainer<>(consumers(), properties);
        container.setBeanName(row.id());
        return container;
    }

    private DefaultKafkaConsumerFactory<String, String> consumers() {
        Map<String, Object> config =
                new HashMap<>(Membership.of(assignment.seed(), row).settings());
        config.put("bootstrap.servers", assignment.bootstrap());
        config.put("group.id", Assignment.topic(assignment.run(), row));
        config.put("auto.offset.reset", "earliest");
        config.put("max.poll.records", 20);
        config.put("fetch.max.wait.ms", 50);
        return new DefaultKafkaConsumerFactory<>(config, new StringDeserializer(), new StringDeserializer());
    }

    /** Poison goes to the dead letters; everything else is tried for ever. */
    private DefaultErrorHandler errorHandler() {
        DefaultKafkaProducerFactory<String, String> producers = new DefaultKafkaProducerFactory<>(
                Map.of("bootstrap.servers", assignment.bootstrap()), new StringSerializer(), new StringSerializer());
        open.push(producers::destroy);
        DeadLetterPublishingRecoverer recoverer = new DeadLetterPublishingRecoverer(
                new KafkaTemplate<>(producers),
                (record, failure) -> new TopicPartition(Assignment.deadLetters(assignment.run(), row), 0));
        DefaultErrorHandler handler =
                new DefaultErrorHandler(recoverer, new FixedBackOff(RETRY_MILLIS, FixedBackOff.UNLIMITED_ATTEMPTS));
        handler.setBackOffFunction(
                (record, failure) -> NestedExceptionUtils.getMostSpecificCause(failure) instanceof PoisonException
                        ? new FixedBackOff(RETRY_MILLIS, POISON_RETRIES)
                        : null);
        return handler;
    }

    /** Of what a failed start has left. */
    @Override
    public void close() {
        while (!open.isEmpty()) {
            try {
                open.pop().close();
            } catch (Exception e) {
                log.debug("closing {}", row, e);
            }
        }
    }
}
