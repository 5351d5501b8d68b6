package io.dedup.ledger.consumer;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.ledger.plan.Circumstance;
import io.dedup.ledger.plan.Combination;
import io.dedup.ledger.plan.Message;
import io.dedup.ledger.plan.Row;
import io.dedup.ledger.plan.Shape;
import io.dedup.ledger.scheme.Scheme;
import io.dedup.ledger.scheme.Stores;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.listener.MessageListenerContainer;

/** One row's listener, and all that belongs to it. */
final class RowListener implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(RowListener.class);
    private static final String ID_HEADER = "id";
    private static final int WORKERS = 6;

    private final Assignment assignment;
    private final Row row;
    private final Combination combination;
    private final String topic;
    private final Stores stores;
    private final ConsumerFaults faults;
    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    RowListener(Assignment assignment, Assignment.Place place, ConsumerFaults faults) {
        this.assignment = assignment;
        this.row = place.row();
        this.combination = place.combination();
        this.topic = Assignment.topic(assignment.run(), row);
        this.stores = assignment.stores(place);
        this.faults = faults;
    }

    /** Returns its containers, which run. */
    Collection<? extends MessageListenerContainer> start() throws Exception {
        HikariDataSource pool = row.database() ? closing(stores.pool()) : null;
        JdbcTemplate jdbc = pool == null ? null : new JdbcTemplate(pool);
        ErrorHandlers errors =
                closing(new ErrorHandlers(assignment.bootstrap(), Assignment.deadLetters(assignment.run(), row)));
        if (row.isOurs()) {
            Collection<? extends MessageListenerContainer> containers = startOurs(pool, jdbc, errors);
            containers.forEach(faults::add);
            return containers;
        }
        Scheme scheme = closing(Schemes.of(row, stores, jdbc));
        SimulatedHandler handler = new SimulatedHandler(effect(jdbc), row.effect() == Row.Effect.ROW);
        ConcurrentMessageListenerContainer<String, String> container =
                container(record -> handle(scheme, handler, record));
        container.setCommonErrorHandler(errors.handler());
        container.start();
        return List.of(container);
    }

    private Collection<? extends MessageListenerContainer> startOurs(
            @Nullable HikariDataSource pool, @Nullable JdbcTemplate jdbc, ErrorHandlers errors) throws Exception {
        Shape shape = combination.shape();
        DedupSetup dedup = closing(new DedupSetup(assignment, row, combination, stores, pool, faults));
        OutputProducers outputs = shape.isInKafkaTransaction()
                ? closing(new OutputProducers(
                        assignment,
                        row,
                        producer -> combination.has(Circumstance.ANSWERS_LOST)
                                ? faults.losingAnswers(producer, topic)
                                : producer))
                : null;
        SimulatedHandler simulated = outputs == null
                ? new SimulatedHandler(effect(jdbc), row.effect() == Row.Effect.ROW)
                : new SimulatedHandler(outputs::send, true);
        if (shape == Shape.SHARE_GROUP) {
            var container = ShareGroups.container(
                    assignment.bootstrap(), topic, combination, simulated, dedup, errors.deadLetters());
            container.start();
            return List.of(container);
        }
        ExecutorService workers = Executors.newFixedThreadPool(WORKERS);
        open.push(workers::shutdownNow);
        Object handler = row.effects() > 1
                ? new Handlers.OfSteps(simulated, row)
                : Handlers.of(shape, simulated, dedup.attempts(), workers);
        if (shape == Shape.RETRY_TOPIC) {
            var context = closing(
                    RetryTopicContext.of(topic, combination, handler, consumers(), errors.template(), dedup.kafka()));
            context.refresh();
            return RetryTopicContext.registry(context).getAllListenerContainers();
        }
        ConcurrentMessageListenerContainer<String, String> container =
                DedupContainers.of(topic, combination, handler, consumers(), errors, outputs);
        dedup.kafka().decorate(container);
        container.start();
        return List.of(container);
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
        return new CountingClient(assignment.effectsPort(), row.id())::count;
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

    /** Whether the message was sent before. */
    static boolean isCopy(ConsumerRecord<String, String> record) {
        return record.headers().lastHeader(Assignment.COPY_HEADER) != null;
    }

    static ConsumerRecords<String, String> withoutCopies(ConsumerRecords<String, String> records) {
        Map<TopicPartition, List<ConsumerRecord<String, String>>> firsts = new LinkedHashMap<>();
        for (ConsumerRecord<String, String> record : records) {
            if (!isCopy(record)) {
                firsts.computeIfAbsent(
                                new TopicPartition(record.topic(), record.partition()), each -> new ArrayList<>())
                        .add(record);
            }
        }
        return new ConsumerRecords<>(firsts, Map.of());
    }

    private ConcurrentMessageListenerContainer<String, String> container(MessageListener<String, String> listener) {
        ContainerProperties properties = new ContainerProperties(topic);
        properties.setMessageListener(listener);
        ConcurrentMessageListenerContainer<String, String> container =
                new ConcurrentMessageListenerContainer<>(consumers(), properties);
        container.setBeanName(row.id());
        return container;
    }

    private DefaultKafkaConsumerFactory<String, String> consumers() {
        Map<String, Object> config = new HashMap<>(combination.membership().settings());
        config.put("bootstrap.servers", assignment.bootstrap());
        config.put("group.id", topic);
        config.put("auto.offset.reset", "earliest");
        config.put("max.poll.records", combination.maxPollRecords());
        config.put("fetch.max.wait.ms", 50);
        if (combination.staticMembers()) {
            config.put("group.instance.id", "member-" + assignment.process());
        }
        DefaultKafkaConsumerFactory<String, String> factory =
                new DefaultKafkaConsumerFactory<>(config, new StringDeserializer(), new StringDeserializer());
        if (row.isOurs()) {
            factory.addPostProcessor(faults::around);
        }
        return factory;
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
