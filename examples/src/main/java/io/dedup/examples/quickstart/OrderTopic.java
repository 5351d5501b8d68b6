package io.dedup.examples.quickstart;

import io.dedup.examples.shop.OrderEvents;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;

/** The topic of orders, from a producer's and an operator's side. */
final class OrderTopic implements AutoCloseable {
    static final int PARTITIONS = 6;

    private final Servers servers;
    private final Admin admin;

    OrderTopic(Servers servers) {
        this.servers = servers;
        this.admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, servers.bootstrapServers()));
    }

    void create() throws ExecutionException, InterruptedException {
        admin.createTopics(List.of(new NewTopic(QuickstartMain.TOPIC, PARTITIONS, (short) 1)))
                .all()
                .get();
    }

    void send(OrderEvents events) throws ExecutionException, InterruptedException {
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, servers.bootstrapServers()),
                new StringSerializer(),
                new StringSerializer())) {
            List<Future<?>> sent = new ArrayList<>();
            for (String event : events.lines()) {
                sent.add(producer.send(
                        new ProducerRecord<>(QuickstartMain.TOPIC, OrderEvents.customerId(event), event)));
            }
            for (Future<?> each : sent) {
                each.get();
            }
        }
    }

    /** Whether two consumers of the group have partitions each. */
    boolean isShared() {
        return asked(() -> {
            Collection<MemberDescription> members = members();
            return members.size() == 2
                    && members.stream()
                            .noneMatch(member ->
                                    member.assignment().topicPartitions().isEmpty());
        });
    }

    /** Whether the group has no consumers any more; only then can its offsets be set. */
    boolean isLeft() {
        return asked(() -> members().isEmpty());
    }

    private Collection<MemberDescription> members() throws ExecutionException, InterruptedException {
        return Objects.requireNonNull(admin.describeConsumerGroups(List.of(QuickstartMain.GROUP))
                        .describedGroups()
                        .get(QuickstartMain.GROUP))
                .get()
                .members();
    }

    /** Whether the group has committed the end of every partition. */
    boolean isConsumed() {
        return asked(() -> {
            Map<TopicPartition, OffsetAndMetadata> committed = committed();
            for (Map.Entry<TopicPartition, ListOffsetsResultInfo> end :
                    offsets(OffsetSpec.latest()).entrySet()) {
                OffsetAndMetadata offset = committed.get(end.getKey());
                if (end.getValue().offset() > (offset == null ? 0 : offset.offset())) {
                    return false;
                }
            }
            return true;
        });
    }

    private static boolean asked(Callable<Boolean> question) {
        try {
            return question.call();
        } catch (ExecutionException e) {
            return false; // the group doesn't exist yet, or is rebalancing
        } catch (Exception e) {
            throw new IllegalStateException("asking the broker", e);
        }
    }

    /** Replays the topic as an operator would: sets the group's offsets back to the start. */
    void rewind() throws ExecutionException, InterruptedException {
        Map<TopicPartition, OffsetAndMetadata> start = new HashMap<>();
        offsets(OffsetSpec.earliest())
                .forEach((partition, offset) -> start.put(partition, new OffsetAndMetadata(offset.offset())));
        admin.alterConsumerGroupOffsets(QuickstartMain.GROUP, start).all().get();
    }

    private Map<TopicPartition, OffsetAndMetadata> committed() throws ExecutionException, InterruptedException {
        return admin.listConsumerGroupOffsets(QuickstartMain.GROUP)
                .partitionsToOffsetAndMetadata()
                .get();
    }

    private Map<TopicPartition, ListOffsetsResultInfo> offsets(OffsetSpec spec)
            throws ExecutionException, InterruptedException {
        Map<TopicPartition, OffsetSpec> specs = new HashMap<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            specs.put(new TopicPartition(QuickstartMain.TOPIC, partition), spec);
        }
        return admin.listOffsets(specs).all().get();
    }

    @Override
    public void close() {
        admin.close();
    }
}
