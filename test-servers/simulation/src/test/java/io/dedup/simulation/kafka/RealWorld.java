package io.dedup.simulation.kafka;

import io.dedup.simulation.kafka.SimulatedConsumer.Reset;
import io.dedup.testservers.kafka.KafkaServers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/** A topic and a group on the broker that tests share. */
final class RealWorld implements World {
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final String topic;
    private final int partitions;
    private final Clients clients;
    private final List<Set<TopicPartition>> taken = new ArrayList<>();
    private GroupProtocol protocol = GroupProtocol.EAGER;
    private @Nullable Consumer<String, String> other;

    /** What all scripts of one thread share. */
    static final class Clients implements AutoCloseable {
        private final String servers = KafkaServers.shared().bootstrapServers();
        private final Admin admin = Admin.create(Map.of("bootstrap.servers", servers));
        private final KafkaProducer<String, String> producer = producer(Map.of());
        private final KafkaProducer<String, String> transactions;

        Clients(String transactionalId) {
            transactions = producer(Map.of("transactional.id", transactionalId));
            transactions.initTransactions();
        }

        private KafkaProducer<String, String> producer(Map<String, Object> more) {
            Map<String, Object> settings = new HashMap<>(more);
            settings.put("bootstrap.servers", servers);
            settings.put("linger.ms", 0);
            return new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
        }

        @Override
        public void close() {
            producer.close();
            transactions.close();
            admin.close();
        }
    }

    RealWorld(String topic, int partitions, Clients clients) {
        this.topic = topic;
        this.partitions = partitions;
        this.clients = clients;
    }

    /** What the other member has taken away, each time. */
    List<Set<TopicPartition>> taken() {
        return taken;
    }

    @Override
    public Consumer<String, String> open(Reset reset, GroupProtocol groupProtocol, int maxPollRecords) {
        protocol = groupProtocol;
        return consumer("a", reset, maxPollRecords);
    }

    private Consumer<String, String> consumer(String name, Reset reset, int maxPollRecords) {
        Map<String, Object> settings = new HashMap<>();
        settings.put("bootstrap.servers", clients.servers);
        settings.put("group.id", topic);
        settings.put("client.id", name + "-" + topic);
        settings.put("enable.auto.commit", false);
        settings.put("auto.offset.reset", reset.name().toLowerCase(Locale.ROOT));
        settings.put("isolation.level", "read_committed");
        settings.put("max.poll.records", maxPollRecords);
        settings.put("heartbeat.interval.ms", 100);
        settings.put("fetch.max.wait.ms", 20);
        settings.put("retry.backoff.ms", 5);
        settings.put(
                "partition.assignment.strategy",
                protocol == GroupProtocol.EAGER
                        ? RangeAssignor.class.getName()
                        : CooperativeStickyAssignor.class.getName());
        return new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
    }

    @Override
    public void commitBeginnings() {
        Map<TopicPartition, OffsetAndMetadata> begins = new HashMap<>();
        for (int i = 0; i < partitions; i++) {
            begins.put(new TopicPartition(topic, i), new OffsetAndMetadata(0));
        }
        get(clients.admin.alterConsumerGroupOffsets(topic, begins).all());
    }

    @Override
    public void append(TopicPartition partition, String value) {
        get(clients.producer.send(new ProducerRecord<>(topic, partition.partition(), null, value)));
    }

    /** The record of an aborted transaction, and the transaction's end. */
    @Override
    public void gap(TopicPartition partition) {
        clients.transactions.beginTransaction();
        long offset = get(clients.transactions.send(
                        new ProducerRecord<>(topic, partition.partition(), null, "aborted")))
                .offset();
        clients.transactions.abortTransaction();
        await(() -> get(clients.admin
                                .listOffsets(Map.of(partition, OffsetSpec.latest()))
                                .partitionResult(partition))
                        .offset()
                == offset + 2);
    }

    @Override
    public void deleteRecords(TopicPartition partition, long below) {
        get(clients.admin
                .deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(below)))
                .all());
    }

    @Override
    public Set<TopicPartition> otherJoins(Runnable poll) {
        Consumer<String, String> joining = consumer("b", Reset.EARLIEST, 1);
        other = joining;
        joining.subscribe(List.of(topic));
        await(() -> {
            joining.poll(Duration.ofMillis(5));
            poll.run();
            return !joining.assignment().isEmpty();
        });
        Set<TopicPartition> leaving = Set.copyOf(joining.assignment());
        taken.add(leaving);
        return leaving;
    }

    @Override
    public void otherLeaves() {
        if (other != null) {
            other.close();
            other = null;
        }
    }

    @Override
    public void close() {
        otherLeaves();
    }

    private interface Condition {
        boolean holds();
    }

    private static void await(Condition condition) {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (!condition.holds()) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException("not within " + LIMIT);
            }
        }
    }

    private static <T> T get(Future<T> future) {
        try {
            return future.get();
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }
}
