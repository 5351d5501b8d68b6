package io.dedup.ledger.run;

import io.dedup.ledger.consumer.Assignment;
import io.dedup.ledger.plan.Pass;
import io.dedup.ledger.plan.Row;
import io.dedup.ledger.plan.Shape;
import io.dedup.ledger.tally.Effect;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.ListShareGroupOffsetsSpec;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.SharePartitionOffsetInfo;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;

/** What the broker knows: topics, what was acknowledged, and dead letters. */
final class Topics implements AutoCloseable {
    private static final short ONE = 1;
    private static final int LOCK_MILLIS = 4_000;

    private final String bootstrap;
    private final String run;
    private final Pass pass;
    private final Admin admin;

    Topics(String bootstrap, String run, Pass pass) {
        this.pass = pass;
        this.bootstrap = bootstrap;
        this.run = run;
        this.admin = Admin.create(Map.of("bootstrap.servers", bootstrap));
    }

    void create() throws ExecutionException, InterruptedException {
        for (Row row : pass.rows()) {
            if (isShared(row)) {
                configure(Assignment.topic(run, row));
            }
        }
        admin.createTopics(all()).all().get();
    }

    private void configure(String shareGroup) throws ExecutionException, InterruptedException {
        List<AlterConfigOp> settings = Stream.of(
                        new ConfigEntry("share.auto.offset.reset", "earliest"),
                        new ConfigEntry("share.record.lock.duration.ms", Integer.toString(LOCK_MILLIS)),
                        new ConfigEntry("share.heartbeat.interval.ms", "500"))
                .map(setting -> new AlterConfigOp(setting, AlterConfigOp.OpType.SET))
                .toList();
        admin.incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.GROUP, shareGroup), settings))
                .all()
                .get();
    }

    private boolean isShared(Row row) {
        return pass.of(row).shape() == Shape.SHARE_GROUP;
    }

    /** Deletes a row's topic and makes it again: its offsets begin at 0, and the group has committed none. */
    void recreate(Row row) throws ExecutionException, InterruptedException {
        String topic = Assignment.topic(run, row);
        admin.deleteTopics(List.of(topic)).all().get();
        while (!admin.listConsumerGroupOffsets(topic)
                .partitionsToOffsetAndMetadata()
                .get()
                .isEmpty()) {
            TimeUnit.MILLISECONDS.sleep(50);
        }
        admin.createTopics(List.of(new NewTopic(topic, pass.partitions(), ONE)))
                .all()
                .get();
    }

    private Set<NewTopic> all() {
        Set<NewTopic> topics = new HashSet<>();
        for (Row row : pass.rows()) {
            Shape shape = pass.of(row).shape();
            topics.add(new NewTopic(Assignment.topic(run, row), pass.partitions(), ONE));
            // The letters of retry topics go to the partition that they come from.
            topics.add(new NewTopic(Assignment.deadLetters(run, row), pass.partitions(), ONE));
            if (shape == Shape.RETRY_TOPIC) {
                topics.add(new NewTopic(Assignment.retries(run, row), pass.partitions(), ONE));
            }
            if (shape.isInKafkaTransaction()) {
                topics.add(new NewTopic(Assignment.outputs(run, row), 1, ONE));
            }
        }
        return topics;
    }

    void delete() throws ExecutionException, InterruptedException {
        admin.deleteTopics(all().stream().map(NewTopic::name).toList()).all().get();
    }

    boolean isConsumed(Row row) throws ExecutionException, InterruptedException {
        if (isShared(row)) {
            return shared(row).values().stream()
                    .allMatch(offsets -> offsets != null && offsets.lag().orElse(-1L) == 0);
        }
        return isConsumed(Assignment.topic(run, row))
                && (pass.of(row).shape() != Shape.RETRY_TOPIC || isConsumed(Assignment.retries(run, row)));
    }

    private boolean isConsumed(String topic) throws ExecutionException, InterruptedException {
        long[] committed = committed(topic);
        for (Map.Entry<TopicPartition, ListOffsetsResultInfo> end : ends(topic).entrySet()) {
            if (committed[end.getKey().partition()] < end.getValue().offset()) {
                return false;
            }
        }
        return true;
    }

    /** By partition. */
    long[] committed(Row row) throws ExecutionException, InterruptedException {
        if (!isShared(row)) {
            return committed(Assignment.topic(run, row));
        }
        long[] begun = new long[pass.partitions()];
        shared(row)
                .forEach((partition, offsets) ->
                        begun[partition.partition()] = offsets == null ? 0 : offsets.startOffset());
        return begun;
    }

    /** Up to where everything is accepted or archived; null where the broker doesn't know yet. */
    private Map<TopicPartition, @Nullable SharePartitionOffsetInfo> shared(Row row)
            throws ExecutionException, InterruptedException {
        String topic = Assignment.topic(run, row);
        return admin.listShareGroupOffsets(Map.of(
                        topic,
                        new ListShareGroupOffsetsSpec()
                                .topicPartitions(IntStream.range(0, pass.partitions())
                                        .mapToObj(partition -> new TopicPartition(topic, partition))
                                        .toList())))
                .partitionsToOffsetInfo(topic)
                .get();
    }

    /** Each topic has a group of its own, with its name. */
    private long[] committed(String topic) throws ExecutionException, InterruptedException {
        long[] committed = new long[pass.partitions()];
        Map<TopicPartition, OffsetAndMetadata> offsets = admin.listConsumerGroupOffsets(topic)
                .partitionsToOffsetAndMetadata()
                .get();
        offsets.forEach((partition, offset) -> committed[partition.partition()] = offset.offset());
        return committed;
    }

    private Map<TopicPartition, ListOffsetsResultInfo> ends(String topic)
            throws ExecutionException, InterruptedException {
        Map<TopicPartition, OffsetSpec> specs = new HashMap<>();
        for (int i = 0; i < pass.partitions(); i++) {
            specs.put(new TopicPartition(topic, i), OffsetSpec.latest());
        }
        return admin.listOffsets(specs).all().get();
    }

    /** IDs. */
    Set<String> deadLetters(Row row) {
        return all(Assignment.deadLetters(run, row), pass.partitions()).stream()
                .map(Topics::id)
                .collect(Collectors.toSet());
    }

    /** IDs of those that wait for their next attempt. */
    Set<String> waitingForRetry(Row row) throws ExecutionException, InterruptedException {
        if (pass.of(row).shape() != Shape.RETRY_TOPIC) {
            return Set.of();
        }
        String retries = Assignment.retries(run, row);
        long[] committed = committed(retries);
        return all(retries, pass.partitions()).stream()
                .filter(record -> record.offset() >= committed[record.partition()])
                .map(Topics::id)
                .collect(Collectors.toSet());
    }

    private static String id(ConsumerRecord<String, String> record) {
        return new String(record.headers().lastHeader("id").value(), StandardCharsets.UTF_8);
    }

    /** What was sent in Kafka transactions that were committed. */
    List<Effect> outputs(Row row) {
        return all(Assignment.outputs(run, row), 1).stream()
                .map(record -> new Effect(record.key(), Integer.parseInt(record.value()), record.timestamp()))
                .sorted(Comparator.comparingLong(Effect::millis))
                .toList();
    }

    /** As readers of what is committed see it. */
    private List<ConsumerRecord<String, String>> all(String topic, int partitions) {
        List<ConsumerRecord<String, String>> records = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrap, "isolation.level", "read_committed"),
                new StringDeserializer(),
                new StringDeserializer())) {
            List<TopicPartition> all = IntStream.range(0, partitions)
                    .mapToObj(partition -> new TopicPartition(topic, partition))
                    .toList();
            consumer.assign(all);
            consumer.seekToBeginning(all);
            Map<TopicPartition, Long> ends = consumer.endOffsets(all);
            while (all.stream()
                    .anyMatch(partition -> consumer.position(partition) < ends.getOrDefault(partition, 0L))) {
                consumer.poll(Duration.ofMillis(200)).forEach(records::add);
            }
        }
        return records;
    }

    @Override
    public void close() {
        admin.close();
    }
}
