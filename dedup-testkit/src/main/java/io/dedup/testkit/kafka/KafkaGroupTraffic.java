package io.dedup.testkit.kafka;

import io.dedup.testkit.plan.Traffic;
import io.dedup.testkit.replay.TopicMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.ConsumerGroupState;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** The records of a plan on a Kafka topic, and the group that reads the topic. */
final class KafkaGroupTraffic implements Traffic {
    private static final Duration LIMIT = Duration.ofMinutes(1);

    private final Map<String, Object> client;
    private final RecordSource records;
    private final String group;
    private final @Nullable String deadLetters;
    private final GroupGuest guest;
    private final KafkaTopic topic;
    private final Admin admin;
    private final KafkaProducer<byte[], byte[]> producer;

    KafkaGroupTraffic(
            Map<String, Object> client,
            RecordSource records,
            String group,
            @Nullable String deadLetters,
            GroupGuest guest) {
        this.client = client;
        this.records = records;
        this.group = group;
        this.deadLetters = deadLetters;
        this.guest = guest;
        this.topic = topic(records.topic());
        this.admin = Admin.create(client);
        Map<String, Object> config = new HashMap<>(client);
        config.put("acks", "all");
        config.put("linger.ms", 0);
        this.producer = new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
    }

    private KafkaTopic topic(String name) {
        return new KafkaTopic(client, name, group, records.ids(), null, LIMIT);
    }

    @Override
    public String description() {
        return "topic " + records.topic() + ", group " + group;
    }

    @Override
    public @Nullable String id(int number) {
        return records.id(number);
    }

    @Override
    public CompletableFuture<TopicMessage> send(int number, int place) {
        ProducerRecord<byte[], byte[]> record = records.record(number);
        Integer partition = record.partition();
        if (partition == null && record.key() == null) {
            partition = place % producer.partitionsFor(record.topic()).size();
        }
        // A copy with its own headers: a producer makes the headers of sent records read-only.
        ProducerRecord<byte[], byte[]> copy =
                new ProducerRecord<>(record.topic(), partition, record.key(), record.value(), record.headers());
        CompletableFuture<TopicMessage> sent = new CompletableFuture<>();
        Instant now = Instant.now();
        String id = records.id(number);
        var unused = producer.send(copy, (where, failure) -> {
            if (failure != null) {
                sent.completeExceptionally(failure);
            } else {
                sent.complete(new TopicMessage(
                        where.topic(),
                        where.topic() + "-" + where.partition() + "@" + where.offset(),
                        where.partition(),
                        where.offset(),
                        now,
                        id,
                        copy));
            }
        });
        return sent;
    }

    @Override
    public List<TopicMessage> unacked(Collection<TopicMessage> messages) {
        return topic.unacked(messages);
    }

    @Override
    public Set<String> members() {
        return described()
                .map(found -> found.members().stream()
                        .filter(member -> !member.clientId().equals(guest.name()))
                        .map(member -> member.consumerId())
                        .collect(Collectors.toSet()))
                .orElse(Set.of());
    }

    @Override
    @SuppressWarnings("removal") // Kafka 3.9 lacks what replaces it
    public boolean isSettled() {
        return described()
                .filter(found -> found.state() == ConsumerGroupState.STABLE)
                .isPresent();
    }

    private Optional<ConsumerGroupDescription> described() {
        try {
            return Optional.ofNullable(
                    answer(admin.describeConsumerGroups(List.of(group)).all()).get(group));
        } catch (GroupIdNotFoundException nobodyHasJoined) {
            return Optional.empty();
        }
    }

    @Override
    public boolean visit(Duration stay, Duration atMost) {
        return described()
                .map(found -> guest.visit(records.topic(), found, stay, atMost))
                .orElse(false);
    }

    @Override
    public List<TopicMessage> deadLetters() {
        if (deadLetters == null
                || !answer(admin.listTopics().names()).contains(deadLetters)) { // nothing has been dead-lettered
            return List.of();
        }
        try (KafkaTopic given = topic(deadLetters)) {
            return given.messages();
        }
    }

    private <T> T answer(KafkaFuture<T> future) {
        try {
            return future.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof GroupIdNotFoundException none) {
                throw none;
            }
            throw new IllegalStateException("A request to Kafka about " + description() + " failed", e);
        } catch (TimeoutException e) {
            throw new IllegalStateException("Kafka didn't answer a request about " + description(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while waiting for Kafka", e);
        }
    }

    @Override
    public void close() {
        producer.close(Duration.ofSeconds(5));
        admin.close(Duration.ofSeconds(5));
        topic.close();
    }
}
