package io.dedup.testkit.kafka;

import io.dedup.id.MessageIdExtractor;
import io.dedup.testkit.replay.BrokerTopic;
import io.dedup.testkit.replay.TopicMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/** A Kafka topic, read with separate clients that belong to no group. */
final class KafkaTopic implements BrokerTopic {
    private static final Duration POLL = Duration.ofMillis(100);
    /** The limit for the broker's answers; the limit for the application is configurable. */
    private static final Duration CLIENT_LIMIT = Duration.ofMinutes(1);

    private final Map<String, Object> client;
    private final String topic;
    private final String group;
    private final MessageIdExtractor<? super ConsumerRecord<byte[], byte[]>> ids;
    private final @Nullable StoppableConsumers consumers;
    private final Duration atMost;
    private final Admin admin;

    KafkaTopic(
            Map<String, Object> client,
            String topic,
            String group,
            MessageIdExtractor<? super ConsumerRecord<byte[], byte[]>> ids,
            @Nullable StoppableConsumers consumers,
            Duration atMost) {
        this.client = client;
        this.topic = topic;
        this.group = group;
        this.ids = ids;
        this.consumers = consumers;
        this.atMost = atMost;
        this.admin = Admin.create(client);
    }

    @Override
    public String topic() {
        return topic;
    }

    @Override
    public String group() {
        return group;
    }

    @Override
    public List<TopicMessage> messages() {
        List<TopicMessage> found = new ArrayList<>();
        Map<String, Object> config = new HashMap<>(client);
        config.put("isolation.level", "read_committed"); // aborted records aren't messages
        config.put("enable.auto.commit", false);
        config.put("auto.offset.reset", "earliest"); // if the broker deletes the first records meanwhile
        config.put("fetch.max.wait.ms", 50); // with the last record, there is nothing to wait for
        try (var consumer = new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(info -> new TopicPartition(topic, info.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            long deadline = System.nanoTime() + CLIENT_LIMIT.toNanos();
            while (partitions.stream().anyMatch(each -> consumer.position(each) < ends.getOrDefault(each, 0L))) {
                consumer.poll(POLL).forEach(record -> found.add(message(record)));
                if (System.nanoTime() - deadline > 0) {
                    throw new IllegalStateException(
                            "Cannot read topic " + topic + " to its end within " + CLIENT_LIMIT);
                }
            }
        }
        return found;
    }

    private TopicMessage message(ConsumerRecord<byte[], byte[]> record) {
        return new TopicMessage(
                record.topic(),
                record.topic() + "-" + record.partition() + "@" + record.offset(),
                record.partition(),
                record.offset(),
                Instant.ofEpochMilli(record.timestamp()),
                TopicMessage.idOf(ids, record),
                record);
    }

    /**
     * Compares with existing records: behind the last one there may be transaction markers, which consumers don't
     * receive.
     */
    @Override
    public List<TopicMessage> unacked(Collection<TopicMessage> messages) {
        Map<TopicPartition, OffsetAndMetadata> committed = answer(
                "the offsets of group " + group,
                admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata());
        return messages.stream()
                .filter(message -> {
                    OffsetAndMetadata next = committed.get(new TopicPartition(topic, message.partition()));
                    return next == null || next.offset() <= message.offset();
                })
                .toList();
    }

    @Override
    public void sendAgain(List<TopicMessage> copies) {
        Map<String, Object> config = new HashMap<>(client);
        config.put("acks", "all");
        config.put("linger.ms", 1);
        try (var producer = new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
            List<Future<?>> sent = new ArrayList<>();
            for (TopicMessage copy : copies) {
                sent.add(producer.send(again(copy)));
            }
            sent.forEach(each -> answer("a copy sent to topic " + topic, each));
        }
    }

    @SuppressWarnings("unchecked") // what message(...) put there
    private static ProducerRecord<byte[], byte[]> again(TopicMessage copy) {
        ConsumerRecord<byte[], byte[]> record = (ConsumerRecord<byte[], byte[]>) copy.raw();
        return new ProducerRecord<>(record.topic(), record.partition(), record.key(), record.value(), record.headers());
    }

    @Override
    public void rewind(List<TopicMessage> chosen) {
        if (consumers == null) {
            throw new IllegalStateException(
                    "Cannot rewind group " + group + " while it has consumers, and consumers(...)"
                            + " isn't set. Call consumers(...), for example with SpringContainers.of(container), so"
                            + " that they can be stopped; or use bySendingAgain()");
        }
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        for (TopicMessage message : chosen) {
            offsets.merge(
                    new TopicPartition(topic, message.partition()),
                    new OffsetAndMetadata(message.offset()),
                    (one, other) -> one.offset() <= other.offset() ? one : other);
        }
        consumers.stop();
        try {
            awaitNoMember();
            requireOnTopic(offsets);
            Object unused = answer(
                    "new offsets of group " + group,
                    admin.alterConsumerGroupOffsets(group, offsets).all());
        } finally {
            consumers.start();
        }
    }

    /**
     * The beginning of a partition may have moved since the messages were chosen. The broker accepts an older offset, and
     * the group then continues wherever its {@code auto.offset.reset} says, which may be the end.
     */
    private void requireOnTopic(Map<TopicPartition, OffsetAndMetadata> offsets) {
        Map<TopicPartition, OffsetSpec> partitions = new HashMap<>();
        offsets.keySet().forEach(partition -> partitions.put(partition, OffsetSpec.earliest()));
        Map<TopicPartition, ListOffsetsResultInfo> begins = answer(
                "the first offsets of topic " + topic,
                admin.listOffsets(partitions).all());
        offsets.forEach((partition, chosen) -> {
            long begin = Objects.requireNonNull(begins.get(partition)).offset();
            if (begin > chosen.offset()) {
                throw new IllegalStateException("Cannot rewind group " + group + " to offset " + chosen.offset()
                        + " of partition " + partition + ": the partition now begins at offset " + begin
                        + ", because the broker has deleted records since they were chosen. Give the topic a longer"
                        + " retention for the test, or use bySendingAgain()");
            }
        });
    }

    private void awaitNoMember() {
        try {
            Awaitility.await()
                    .atMost(atMost)
                    .pollInterval(POLL)
                    .until(() -> members().isEmpty());
        } catch (ConditionTimeoutException e) {
            throw new IllegalStateException(
                    "Cannot rewind group " + group + ": it still has members after its consumers(...) were stopped, "
                            + members() + ". Pass all containers of the group to consumers(...). A static member"
                            + " (group.instance.id) stays for its session.timeout.ms",
                    e);
        }
    }

    private List<String> members() {
        Map<String, ConsumerGroupDescription> described = answer(
                "the members of group " + group,
                admin.describeConsumerGroups(List.of(group)).all());
        return described.values().stream()
                .flatMap(found -> found.members().stream())
                .map(member -> member.clientId() + " at " + member.host())
                .toList();
    }

    private <T> T answer(String what, Future<T> future) {
        try {
            return future.get(CLIENT_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("Kafka didn't answer the request for " + what, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while waiting for " + what, e);
        }
    }

    @Override
    public void close() {
        admin.close(Duration.ofSeconds(5));
    }
}
