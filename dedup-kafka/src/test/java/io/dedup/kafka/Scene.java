package io.dedup.kafka;

import static org.awaitility.Awaitility.await;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.doubles.GroupScene;
import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.kafka.internal.spring.PollResults;
import io.dedup.policy.DedupPolicy;
import io.dedup.store.DedupStore;
import io.dedup.store.memory.InMemoryDedupStore;
import io.dedup.store.transaction.TransactionalRecords;
import io.dedup.testservers.PauselessClock;
import io.dedup.testservers.kafka.KafkaServers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AckMode;

/** One topic, one group, one store and one decorator on the shared broker, and what a test asks of them. */
public final class Scene extends GroupScene {
    public static final Duration PATIENCE = Duration.ofMinutes(3);

    /** What a store's client may take for its first connection, in a JVM that has to load its classes. */
    static final Duration COLD_CLIENT = Duration.ofSeconds(15);

    final String bootstrap = KafkaServers.shared().bootstrapServers();
    final List<String> deferrals;
    /** All tests have to pass with either. */
    private static final boolean CLAIM_AHEAD = !"false".equals(System.getProperty("dedup.test.claim-ahead"));

    final AtomicInteger pending;
    public KafkaDedup kafka;
    private final KafkaProducer<String, String> producer;
    private final Admin admin;

    public Scene() {
        this(policy -> policy);
    }

    public Scene(UnaryOperator<DedupPolicy.Builder> changes) {
        this(memory(), 1, changes);
    }

    public Scene(int partitions, UnaryOperator<DedupPolicy.Builder> changes) {
        this(memory(), partitions, changes);
    }

    /** On a clock that a machine that stands still doesn't move: leases are short here. */
    static InMemoryDedupStore memory() {
        return new InMemoryDedupStore(PauselessClock.get(), InMemoryDedupStore.DEFAULT_ATTEMPT_RETENTION);
    }

    public Scene(DedupStore store, int partitions, UnaryOperator<DedupPolicy.Builder> changes) {
        this(store, null, partitions, changes);
    }

    public Scene(
            DedupStore store,
            @Nullable TransactionalRecords records,
            int partitions,
            UnaryOperator<DedupPolicy.Builder> changes) {
        this(store, records, partitions, changes, new Recorder());
    }

    private Scene(
            DedupStore store,
            @Nullable TransactionalRecords records,
            int partitions,
            UnaryOperator<DedupPolicy.Builder> changes,
            Recorder recorder) {
        super(store, records, changes, recorder, recorder.events);
        this.deferrals = recorder.deferrals;
        this.pending = recorder.pending;
        KafkaServers.shared().createTopic(topic, partitions);
        this.admin = Admin.create(Map.of("bootstrap.servers", bootstrap));
        closeLater(() -> admin.close(Duration.ZERO));
        this.producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrap, "linger.ms", 0), new StringSerializer(), new StringSerializer());
        closeLater(() -> producer.close(Duration.ZERO));
        this.kafka = kafka(CLAIM_AHEAD);
        closeLater(() -> kafka.close()); // that of then
    }

    /** What decorates from now on. */
    void claimAhead(boolean ahead) {
        kafka.close();
        kafka = kafka(ahead);
    }

    /** The same with a limit of unfinished records. */
    void maxUnfinishedPerPartition(int records) {
        kafka.close();
        kafka = KafkaDedup.builder(dedup)
                .id(KafkaMessageIds.header("id"))
                .claimAhead(CLAIM_AHEAD)
                .maxUnfinishedPerPartition(records)
                .build();
    }

    private KafkaDedup kafka(boolean claimAhead) {
        return KafkaDedup.builder(dedup)
                .id(KafkaMessageIds.header("id"))
                .claimAhead(claimAhead)
                .build();
    }

    private static final class Recorder implements DedupListener {
        final List<String> events = new CopyOnWriteArrayList<>();
        final List<String> deferrals = new CopyOnWriteArrayList<>();
        final AtomicInteger pending = new AtomicInteger();

        @Override
        public void deferred(@Nullable DedupKey key, DeferReason reason, Duration retryAfter) {
            deferrals.add((key == null ? null : key.messageId()) + " " + reason);
        }

        @Override
        public void released(DedupKey key, @Nullable Throwable cause) {
            events.add("released " + key.messageId());
        }

        @Override
        public void duplicate(DedupKey key, Instant completedAt, @Nullable String firstRun) {
            events.add("duplicate " + key.messageId());
        }

        @Override
        public void completed(DedupKey key, Duration handlerTime) {
            events.add("completed " + key.messageId());
        }

        @Override
        public void leaseLost(DedupKey key) {
            events.add("lease lost " + key.messageId());
        }

        @Override
        public void completionPending(DedupKey key) {
            pending.incrementAndGet();
        }
    }

    /** Commits the begin of all partitions for the group. A new topic is unknown to the group's coordinator for a moment. */
    void commitTheBegin(int partitions) {
        Map<TopicPartition, OffsetAndMetadata> begin = new HashMap<>();
        for (int partition = 0; partition < partitions; partition++) {
            begin.put(new TopicPartition(topic, partition), new OffsetAndMetadata(0));
        }
        await().ignoreExceptionsMatching(e -> e.getCause() instanceof UnknownTopicOrPartitionException)
                .until(() -> {
                    admin.alterConsumerGroupOffsets(group, begin).all().get();
                    return true;
                });
    }

    void send(String... ids) {
        for (String id : ids) {
            sendTo(0, id);
        }
    }

    void sendTo(int partition, String id) {
        send(record(partition, id.getBytes(StandardCharsets.UTF_8), "v-" + id));
    }

    ProducerRecord<String, String> record(int partition, byte @Nullable [] id, @Nullable String value) {
        ProducerRecord<String, String> record = new ProducerRecord<>(topic, partition, null, value);
        if (id != null) {
            record.headers().add("id", id);
        }
        return record;
    }

    void send(ProducerRecord<String, String> record) {
        try {
            producer.send(record).get();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    Map<String, Object> consumerConfig() {
        Map<String, Object> config = new HashMap<>();
        config.put("bootstrap.servers", bootstrap);
        config.put("group.id", group);
        config.put("auto.offset.reset", "earliest");
        config.put("session.timeout.ms", 30_000);
        config.put("heartbeat.interval.ms", 500);
        config.put("fetch.max.wait.ms", 50);
        return config;
    }

    ContainerProperties properties(AckMode mode, Object listener) {
        ContainerProperties properties = new ContainerProperties(topic);
        properties.setAckMode(mode);
        properties.setAckTime(10);
        properties.setAckCount(2);
        properties.setPollTimeout(200);
        properties.setMessageListener(listener);
        properties.setShutdownTimeout(5_000);
        return properties;
    }

    public ConcurrentMessageListenerContainer<String, String> container(AckMode mode, Object listener) {
        return container(properties(mode, listener), Map.of());
    }

    public ConcurrentMessageListenerContainer<String, String> container(
            ContainerProperties properties, Map<String, Object> settings) {
        Map<String, Object> config = consumerConfig();
        config.putAll(settings);
        var factory = new DefaultKafkaConsumerFactory<String, String>(
                config, new StringDeserializer(), new StringDeserializer());
        var container = new ConcurrentMessageListenerContainer<String, String>(factory, properties);
        container.setBeanName("c-" + topic);
        return container;
    }

    <C extends AbstractMessageListenerContainer<?, ?>> C start(C container) {
        kafka.decorate(container);
        container.start();
        closeLater(container::stop);
        return container;
    }

    /** Starts, stops again when all partitions are committed up to their ends. */
    void runUntilCommitted(AbstractMessageListenerContainer<?, ?> container) {
        start(container);
        awaitAllCommitted();
        container.stop();
    }

    /** Another member, which has taken partition 0 over from a consumer with {@link TakeOverAssignor#ranked ranked(1)}. */
    KafkaConsumer<String, String> takeOver() {
        Map<String, Object> config = consumerConfig();
        config.putAll(TakeOverAssignor.ranked(2));
        KafkaConsumer<String, String> other =
                closeLater(new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer()));
        other.subscribe(List.of(topic));
        await().until(() -> {
            other.poll(Duration.ofMillis(50));
            return !other.assignment().isEmpty();
        });
        return other;
    }

    /** The broker deletes all records of a partition before this offset, as retention does. */
    void deleteRecords(int partition, long before) {
        try {
            admin.deleteRecords(Map.of(new TopicPartition(topic, partition), RecordsToDelete.beforeOffset(before)))
                    .all()
                    .get();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** The committed offset of each partition that has one. */
    Map<Integer, Long> committed() {
        try {
            Map<TopicPartition, OffsetAndMetadata> offsets = admin.listConsumerGroupOffsets(group)
                    .partitionsToOffsetAndMetadata()
                    .get();
            Map<Integer, Long> committed = new TreeMap<>();
            offsets.forEach((partition, offset) -> {
                if (partition.topic().equals(topic) && offset != null) {
                    committed.put(partition.partition(), offset.offset());
                }
            });
            return committed;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** The operator's replay: the group, whose consumers have stopped, starts again at the beginning. */
    void rewind() {
        await().ignoreExceptions().until(() -> {
            admin.deleteConsumerGroups(List.of(group)).all().get(); // refused until the last member has gone
            return true;
        });
    }

    void awaitCommitted(long offset) {
        await().pollInterval(Duration.ofMillis(20)).until(() -> committed().getOrDefault(0, 0L) == offset);
    }

    void awaitAllCommitted() {
        Map<Integer, Long> ends = new TreeMap<>();
        try (var consumer = new KafkaConsumer<>(consumerConfig(), new StringDeserializer(), new StringDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(info -> new TopicPartition(topic, info.partition()))
                    .toList();
            consumer.endOffsets(partitions).forEach((partition, end) -> {
                if (end > 0) {
                    ends.put(partition.partition(), end);
                }
            });
        }
        await().pollInterval(Duration.ofMillis(20))
                .untilAsserted(() ->
                        org.assertj.core.api.Assertions.assertThat(committed()).isEqualTo(ends));
    }

    void awaitEffects(String... ids) {
        await().pollInterval(Duration.ofMillis(10))
                .untilAsserted(() ->
                        org.assertj.core.api.Assertions.assertThat(effects).containsExactly(ids));
    }

    /** In any order. */
    void awaitEffectsOf(String... ids) {
        await().pollInterval(Duration.ofMillis(10))
                .untilAsserted(() ->
                        org.assertj.core.api.Assertions.assertThat(effects).containsExactlyInAnyOrder(ids));
    }

    KafkaTemplate<String, String> template() {
        var factory = new DefaultKafkaProducerFactory<String, String>(
                Map.of("bootstrap.servers", bootstrap), new StringSerializer(), new StringSerializer());
        closeLater(factory::destroy);
        return new KafkaTemplate<>(factory);
    }

    /** All records of a topic, such as a dead-letter topic. */
    List<ConsumerRecord<String, String>> records(String name) {
        List<ConsumerRecord<String, String>> found = new ArrayList<>();
        try (var consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", (Object) bootstrap), new StringDeserializer(), new StringDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(name).stream()
                    .map(info -> new TopicPartition(name, info.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (partitions.stream().anyMatch(each -> consumer.position(each) < ends.get(each))) {
                consumer.poll(Duration.ofMillis(100)).forEach(found::add);
            }
        }
        return found;
    }

    /** What an interceptor leaves of these records that takes out those with an ID. */
    static ConsumerRecords<String, String> without(String id, ConsumerRecords<String, String> records) {
        Map<TopicPartition, List<ConsumerRecord<String, String>>> kept = new HashMap<>();
        for (TopicPartition partition : records.partitions()) {
            kept.put(
                    partition,
                    records.records(partition).stream()
                            .filter(record -> !id(record).equals(id))
                            .toList());
        }
        return PollResults.of(kept);
    }

    static String id(ConsumerRecord<?, ?> record) {
        return new String(record.headers().lastHeader("id").value(), StandardCharsets.UTF_8);
    }

    /** Adds the record's ID to the effects. */
    Consumer<ConsumerRecord<String, String>> effect() {
        return record -> effects.add(id(record));
    }
}
