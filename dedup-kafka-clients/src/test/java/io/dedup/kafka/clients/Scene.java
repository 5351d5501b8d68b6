package io.dedup.kafka.clients;

import static java.util.Objects.requireNonNull;
import static org.awaitility.Awaitility.await;

import io.dedup.Deduplicator;
import io.dedup.doubles.WatchedStore;
import io.dedup.engine.Deduplicators;
import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.policy.DedupPolicy;
import io.dedup.store.memory.InMemoryDedupStore;
import io.dedup.testkit.faults.FaultyStore;
import io.dedup.testservers.kafka.KafkaServers;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** A topic with its producer, a store that can fail, and consumers of one group. The record's key is its ID. */
final class Scene implements AutoCloseable {
    static final Duration SHORT = Duration.ofMillis(50);
    private static final KafkaProducer<String, String> PRODUCER = new KafkaProducer<>(
            Map.of(
                    "bootstrap.servers", KafkaServers.shared().bootstrapServers(),
                    "linger.ms", 0,
                    "request.timeout.ms", 10_000,
                    "delivery.timeout.ms", 20_000),
            new StringSerializer(),
            new StringSerializer());

    final String topic = "poll-" + UUID.randomUUID();
    final String group = "g-" + topic;
    final WatchedStore watched = new WatchedStore(new InMemoryDedupStore());
    final FaultyStore store = FaultyStore.around(watched.store);
    final DedupPolicy policy;
    final Deduplicator deduplicator;
    /** What handlers have done: the values of the records. */
    final List<String> effects = new CopyOnWriteArrayList<>();

    private final Deque<AutoCloseable> closeables = new ArrayDeque<>();

    Scene(int partitions) {
        this(partitions, DedupPolicy.builder().lease(Duration.ofSeconds(2)).build());
    }

    Scene(int partitions, DedupPolicy policy) {
        KafkaServers.shared().createTopic(topic, partitions);
        this.policy = policy;
        this.deduplicator = deduplicator();
    }

    /** One of another process. */
    Deduplicator deduplicator() {
        return closing(Deduplicators.builder(store)
                .consumer("billing")
                .defaults(policy)
                .shutdownTimeout(Duration.ZERO)
                .build());
    }

    <C extends AutoCloseable> C closing(C closeable) {
        closeables.push(closeable);
        return closeable;
    }

    void send(int partition, String... ids) {
        for (String id : ids) {
            try {
                var unused = PRODUCER.send(new ProducerRecord<>(topic, partition, id, id))
                        .get();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
    }

    /** Many at once. */
    void sendAll(List<ProducerRecord<String, String>> records) {
        List<Future<?>> answers = new ArrayList<>();
        records.forEach(record -> answers.add(PRODUCER.send(record)));
        for (Future<?> each : answers) {
            try {
                var unused = each.get();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
    }

    Map<String, Object> config() {
        Map<String, Object> config = new HashMap<>();
        config.put("bootstrap.servers", KafkaServers.shared().bootstrapServers());
        config.put("group.id", group);
        config.put("enable.auto.commit", "false");
        config.put("auto.offset.reset", "earliest");
        return config;
    }

    KafkaConsumer<String, String> consumer(Map<String, Object> more) {
        Map<String, Object> config = config();
        config.putAll(more);
        return new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer());
    }

    DedupPollBuilder builder() {
        return DedupPoll.builder(deduplicator)
                .id(KafkaMessageIds.key())
                .retryDelay(Duration.ofMillis(20), Duration.ofMillis(100));
    }

    DedupPoll<String, String> open(DedupPollBuilder builder) {
        return open(builder, consumer(Map.of()));
    }

    DedupPoll<String, String> open(DedupPollBuilder builder, Consumer<String, String> consumer) {
        return closing(builder.open(consumer, List.of(topic)));
    }

    void effect(ConsumerRecord<String, String> record) {
        effects.add(record.value());
    }

    /** Polls until this is so. */
    void pollUntil(DedupPoll<String, String> poll, BooleanSupplier reached) {
        pollUntil(poll, this::effect, reached);
    }

    void pollUntil(DedupPoll<String, String> poll, RecordHandler<String, String> handler, BooleanSupplier reached) {
        await().pollInSameThread()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .until(() -> {
                    int unused = poll.poll(SHORT, handler);
                    return reached.getAsBoolean();
                });
    }

    /** What the group has committed; -1 if nothing. */
    long committed(int partition) {
        return committed(consumer(Map.of()), partition);
    }

    private long committed(KafkaConsumer<String, String> reader, int partition) {
        try (reader) {
            TopicPartition asked = new TopicPartition(topic, partition);
            Map<TopicPartition, OffsetAndMetadata> all = reader.committed(Set.of(asked));
            return all.get(asked) == null ? -1 : requireNonNull(all.get(asked)).offset();
        }
    }

    boolean isCommittedToEnd(KafkaConsumer<String, String> reader, int partition) {
        TopicPartition asked = new TopicPartition(topic, partition);
        OffsetAndMetadata committed = reader.committed(Set.of(asked)).get(asked);
        return committed != null
                && committed.offset() == reader.endOffsets(Set.of(asked)).get(asked);
    }

    @Override
    public void close() throws Exception {
        store.heal();
        List<Exception> failures = new ArrayList<>();
        while (!closeables.isEmpty()) {
            try {
                closeables.pop().close();
            } catch (Exception e) {
                failures.add(e);
            }
        }
        if (!failures.isEmpty()) {
            throw failures.get(0);
        }
    }
}
