package io.dedup.testservers.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

final class KafkaServersTest {

    @Test
    void theSharedBrokerTakesAndGives() throws Exception {
        KafkaServers.shared().createTopic("shared", 2);
        send(KafkaServers.shared(), "shared", "a", "b");
        assertThat(receive(KafkaServers.shared(), "shared", "group", 2)).containsExactlyInAnyOrder("a", "b");
        assertThatThrownBy(() -> KafkaServers.shared().createTopic("shared", 2)).hasMessageContaining("shared");
    }

    @Test
    void keepsRecordsAndOffsetsAcrossKillAndRestart() throws Exception {
        try (KafkaServer broker =
                KafkaServers.builder().setting("message.max.bytes", "2000000").start()) {
            broker.createTopic("kept", 1);
            send(broker.address(), "kept", "a");
            assertThat(receive(broker.address(), "kept", "group", 1)).containsExactly("a");
            broker.kill();
            broker.start();
            send(broker.address(), "kept", "b");
            assertThat(receive(broker.address(), "kept", "group", 1)).containsExactly("b");
            broker.restart();
            assertThat(receive(broker.address(), "kept", "another group", 2)).containsExactly("a", "b");
        }
    }

    @Test
    @Tag("long") // as the failovers, which are the only ones that use it
    void aClusterKeepsEveryRecordThreeTimes() throws Exception {
        try (KafkaCluster cluster = KafkaServers.startCluster()) {
            KafkaAddress address = new KafkaAddress(cluster.bootstrapServers());
            cluster.createTopic("replicated", 3);
            send(address, "replicated", "a");
            cluster.awaitInSync();
            assertThat(receive(address, "replicated", "group", 1)).containsExactly("a");
        }
    }

    private static void send(KafkaAddress broker, String topic, String... values) throws Exception {
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", broker.bootstrapServers(), "compression.type", "lz4"),
                new StringSerializer(),
                new StringSerializer())) {
            for (String value : values) {
                producer.send(new ProducerRecord<>(topic, value)).get();
            }
        }
    }

    private static List<String> receive(KafkaAddress broker, String topic, String group, int count) {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", broker.bootstrapServers(), "group.id", group, "auto.offset.reset", "earliest");
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of(topic));
            List<String> received = new ArrayList<>();
            Awaitility.await().until(() -> {
                consumer.poll(Duration.ofMillis(100)).forEach(message -> received.add(message.value()));
                return received.size() >= count;
            });
            consumer.commitSync();
            return received;
        }
    }
}
