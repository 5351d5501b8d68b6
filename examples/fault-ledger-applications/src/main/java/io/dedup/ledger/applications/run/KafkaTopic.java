package io.dedup.ledger.applications.run;

import io.dedup.ledger.applications.plan.Text;
import io.dedup.ledger.plan.Traffic;
import io.dedup.ledger.tally.SentCopy;
import io.dedup.ledger.tally.Tally;
import io.dedup.testkit.faults.TcpProxy;
import io.dedup.testservers.kafka.KafkaServer;
import io.dedup.testservers.kafka.KafkaServers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** A topic of Kafka, for the parallel consumer and for Spring Cloud Stream. All clients come through the proxy. */
final class KafkaTopic implements Entrance {
    private static final String DEAD = "orders-dlq";

    private final TcpProxy proxy;
    private final KafkaServer kafka;
    private final KafkaProducer<String, String> producer;
    private final Admin admin;
    private final List<SentCopy> copies = new ArrayList<>();

    KafkaTopic() throws Exception {
        int port = JmsQueue.freePort();
        proxy = TcpProxy.to(port);
        kafka = KafkaServers.builder().port(port).advertisedPort(proxy.port()).start();
        kafka.createTopic("orders", ApplicationRun.PARTITIONS);
        kafka.createTopic(DEAD, 1);
        Map<String, Object> config = Map.of("bootstrap.servers", kafka.bootstrapServers());
        producer = new KafkaProducer<>(config, new StringSerializer(), new StringSerializer());
        admin = Admin.create(config);
    }

    @Override
    public List<String> properties(int process) {
        return List.of(
                "ledger.bootstrap=" + kafka.bootstrapServers(),
                "spring.kafka.bootstrap-servers=" + kafka.bootstrapServers(),
                "spring.kafka.consumer.auto-offset-reset=earliest",
                "spring.kafka.consumer.max-poll-records=5",
                "spring.kafka.consumer.properties.session.timeout.ms=1500",
                "spring.kafka.consumer.properties.heartbeat.interval.ms=300",
                "spring.cloud.function.definition=stock",
                "spring.cloud.stream.bindings.stock-in-0.destination=orders",
                "spring.cloud.stream.bindings.stock-in-0.group=stock",
                "spring.cloud.stream.bindings.stock-in-0.consumer.concurrency=2",
                "spring.cloud.stream.bindings.stock-in-0.consumer.back-off-initial-interval=50",
                "spring.cloud.stream.kafka.bindings.stock-in-0.consumer.enable-dlq=true",
                "spring.cloud.stream.kafka.bindings.stock-in-0.consumer.dlq-name=" + DEAD,
                "dedup.topics.orders.id=header:order-id");
    }

    @Override
    public void send(Traffic.Send send) throws InterruptedException, ExecutionException {
        String id = send.message().id();
        ProducerRecord<String, String> record =
                new ProducerRecord<>("orders", send.partition(), id, Text.of(send.message()));
        record.headers().add("order-id", id.getBytes(StandardCharsets.UTF_8));
        RecordMetadata where = producer.send(record).get();
        synchronized (copies) {
            copies.add(new SentCopy(id, where.partition(), where.offset()));
        }
    }

    @Override
    public boolean isIdle() throws ExecutionException, InterruptedException {
        return waiting().isEmpty();
    }

    @Override
    public Set<String> waiting() throws ExecutionException, InterruptedException {
        long[] committed = new long[ApplicationRun.PARTITIONS];
        admin.listConsumerGroupOffsets("stock")
                .partitionsToOffsetAndMetadata()
                .get()
                .forEach(
                        (partition, offset) -> committed[partition.partition()] = offset == null ? 0 : offset.offset());
        synchronized (copies) {
            return Tally.unacknowledged(copies, committed);
        }
    }

    @Override
    public Set<String> deadLetters() {
        TopicPartition partition = new TopicPartition(DEAD, 0);
        Set<String> ids = new HashSet<>();
        try (KafkaConsumer<String, String> reader = new KafkaConsumer<>(
                Map.of("bootstrap.servers", kafka.bootstrapServers()),
                new StringDeserializer(),
                new StringDeserializer())) {
            reader.assign(List.of(partition));
            reader.seekToBeginning(List.of(partition));
            long end = reader.endOffsets(List.of(partition)).getOrDefault(partition, 0L);
            while (reader.position(partition) < end) {
                reader.poll(Duration.ofMillis(200))
                        .forEach(record -> ids.add(Text.message(record.value()).id()));
            }
        }
        return ids;
    }

    @Override
    public List<TcpProxy> proxies() {
        return List.of(proxy);
    }

    @Override
    public void close() {
        producer.close(Duration.ZERO);
        admin.close(Duration.ZERO);
        proxy.close();
        kafka.close();
    }
}
