package io.dedup.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.testservers.kafka.KafkaServers;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.AcknowledgingMessageListener;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.support.TopicPartitionOffset;
import org.springframework.kafka.support.serializer.ErrorHandlingDeserializer;
import org.springframework.util.backoff.FixedBackOff;

@DisplayName("K23 Offsets that return, because a topic was deleted and made again")
class RecreatedTopicTest {
    private static final String SAME = "the same text";

    private final Scene scene = new Scene();
    private final Admin admin = Admin.create(Map.of("bootstrap.servers", scene.bootstrap));

    @AfterEach
    void close() {
        scene.close();
        admin.close();
    }

    private void decorateWith(KafkaDedupBuilder builder) {
        scene.kafka.close();
        scene.kafka = builder.build();
    }

    private ConcurrentMessageListenerContainer<String, String> container(boolean batches) {
        Object listener = batches
                ? (BatchMessageListener<String, String>)
                        records -> records.forEach(record -> scene.effects.add(record.value()))
                : (MessageListener<String, String>) record -> scene.effects.add(record.value());
        return scene.container(scene.properties(AckMode.BATCH, listener), Map.of("metadata.max.age.ms", 100));
    }

    private void handleAll() {
        scene.runUntilCommitted(container(false));
    }

    /** With the consumers, or none, that there are. */
    private void recreate() throws Exception {
        admin.deleteTopics(List.of(scene.topic)).all().get();
        await().ignoreExceptionsMatching(e -> e.getCause().getCause() instanceof TopicExistsException)
                .until(() -> {
                    KafkaServers.shared().createTopic(scene.topic, 1);
                    return true;
                });
    }

    private void sendValues(String... values) {
        for (String value : values) {
            scene.send(scene.record(0, null, value));
        }
    }

    private void sendAt(long time, String value) {
        scene.send(new ProducerRecord<>(scene.topic, 0, time, null, value));
    }

    @ParameterizedTest(name = "as the dead letters of a topic: {0}")
    @ValueSource(booleans = {true, false})
    @DisplayName("all records of the new topic are handled, and redelivered ones are duplicates")
    void recreated(boolean deadLetters) throws Exception {
        KafkaDedupBuilder builder = KafkaDedup.builder(scene.dedup).id(KafkaMessageIds.coordinates());
        decorateWith(deadLetters ? builder.deadLetterTopic(scene.topic, "orders") : builder);
        sendValues("old-0", SAME);
        handleAll();
        scene.rewind();
        recreate();
        sendValues("new-0", SAME, "new-2");
        handleAll();
        scene.awaitEffects("old-0", SAME, "new-0", SAME, "new-2");

        scene.rewind();
        handleAll();
        scene.awaitEffects("old-0", SAME, "new-0", SAME, "new-2");
    }

    @Test
    @DisplayName("records whose producer has set one time for all are distinguished by their text")
    void sameTime() throws Exception {
        decorateWith(KafkaDedup.builder(scene.dedup).id(KafkaMessageIds.coordinates()));
        sendAt(1, "first");
        handleAll();
        scene.rewind();
        recreate();
        sendAt(1, "other");
        handleAll();
        scene.awaitEffects("first", "other");
    }

    @ParameterizedTest(name = "batches: {0}")
    @ValueSource(booleans = {false, true})
    @DisplayName("a consumer that goes on meanwhile handles the records of the new topic")
    void whileItRuns(boolean batches) throws Exception {
        decorateWith(KafkaDedup.builder(scene.dedup).id(KafkaMessageIds.coordinates()));
        scene.start(container(batches));
        sendValues("old-0", "old-1", "old-2");
        scene.awaitEffects("old-0", "old-1", "old-2");
        scene.awaitCommitted(3);
        recreate();
        sendValues("new-0", "new-1");
        scene.awaitEffects("old-0", "old-1", "old-2", "new-0", "new-1");
    }

    /** Assigned partitions have no rebalance that would forget the former topic. */
    @Test
    @DisplayName("no commit is raised to an offset of the former topic")
    void whatIsRecoveredFirst() throws Exception {
        decorateWith(KafkaDedup.builder(scene.dedup).id(KafkaMessageIds.coordinates()));
        AcknowledgingMessageListener<String, String> listener = (record, acknowledgment) -> {
            scene.effects.add(record.value());
            acknowledgment.acknowledge();
        };
        ContainerProperties shape = new ContainerProperties(new TopicPartitionOffset(scene.topic, 0));
        shape.setMessageListener(listener);
        shape.setAckMode(AckMode.MANUAL_IMMEDIATE);
        shape.setGroupId(scene.group);
        Map<String, Object> config = scene.consumerConfig();
        config.put("metadata.max.age.ms", 100);
        Deserializer<String> onlyOld = (topic, bytes) -> {
            String value = new String(bytes, UTF_8);
            if (!value.startsWith("old")) {
                throw new IllegalArgumentException("reaches no listener");
            }
            return value;
        };
        var container = new ConcurrentMessageListenerContainer<>(
                new DefaultKafkaConsumerFactory<>(
                        config, new StringDeserializer(), new ErrorHandlingDeserializer<>(onlyOld)),
                shape);
        container.setBeanName("c-" + scene.topic);
        DefaultErrorHandler recovering = new DefaultErrorHandler(
                (record, failure) -> scene.effects.add("recovered " + record.offset()), new FixedBackOff(0, 0));
        recovering.setCommitRecovered(true);
        container.setCommonErrorHandler(recovering);
        scene.start(container);
        sendValues("old-0", "old-1", "old-2");
        scene.awaitEffects("old-0", "old-1", "old-2");
        scene.awaitCommitted(3);
        recreate();
        sendValues("new-0");
        scene.awaitEffects("old-0", "old-1", "old-2", "recovered 0");
        scene.awaitCommitted(1);
    }

    @Test
    @DisplayName("what was handled before the mark stays known if the time of the upgrade is set")
    void upgraded() {
        sendAt(1_000, "a");
        sendAt(2_000, "b");
        for (int offset = 0; offset < 2; offset++) { // as a version without the mark recorded it
            scene.dedup.execute(scene.dedup.key(scene.topic, scene.topic + "-0-" + offset), context -> "handled");
        }
        decorateWith(KafkaDedup.builder(scene.dedup)
                .id(KafkaMessageIds.coordinatesMarkedSince(Instant.ofEpochMilli(3_000))));
        sendAt(3_000, "c");
        handleAll();
        scene.rewind();
        handleAll();
        assertThat(scene.effects).containsExactly("c");
    }
}
