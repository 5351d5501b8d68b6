package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.id.MessageIdExtractor;
import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.policy.OnConflict;
import io.dedup.policy.OnMissingId;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.utils.Bytes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.support.serializer.ErrorHandlingDeserializer;
import org.springframework.util.backoff.FixedBackOff;

/** IDs and payloads that nobody wants, sent through a real broker: each has its outcome, and nothing is lost. */
class BadInputTest {
    private final List<String> values = new CopyOnWriteArrayList<>();
    private final List<String> recovered = new CopyOnWriteArrayList<>();

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Handles all, and recovers what is rejected. */
    private ConcurrentMessageListenerContainer<String, String> container(Scene scene, boolean batch) {
        Object listener = batch
                ? (BatchMessageListener<String, String>) records -> records.forEach(this::handle)
                : (MessageListener<String, String>) this::handle;
        var container = scene.container(AckMode.BATCH, listener);
        container.setCommonErrorHandler(new DefaultErrorHandler(
                (record, e) -> recovered.add(record.value() + " " + BatchTest.rootName(e)), new FixedBackOff(0, 99)));
        return container;
    }

    private void handle(ConsumerRecord<String, String> record) {
        values.add(String.valueOf(record.value()));
    }

    @ParameterizedTest(name = "batch={0}")
    @ValueSource(booleans = {true, false})
    @DisplayName("K16 unusable IDs are dead-lettered at once, usable ones are told apart, and nothing is lost")
    void ids(boolean batch) {
        try (Scene scene = new Scene()) {
            List<String> usable = List.of(
                    "plain",
                    "PLAIN",
                    "plain ",
                    " plain",
                    "x".repeat(10_240),
                    "x".repeat(10_239) + "y",
                    "nul\0",
                    "nul\0\0",
                    "nul",
                    "ctl\u0001\n\r\t",
                    "{}",
                    "{a}",
                    "*?[a-z]",
                    "%_'\";--\\",
                    "é",
                    "e\u0301",
                    "\ud83d\ude00",
                    "sha256:abc");
            List<ProducerRecord<String, String>> unusable = new ArrayList<>();
            unusable.add(scene.record(0, null, "absent"));
            unusable.add(scene.record(0, utf8(""), "empty"));
            unusable.add(scene.record(0, utf8(" \t "), "blank"));
            unusable.add(scene.record(0, new byte[] {(byte) 0xff, (byte) 0xfe, 'a'}, "not UTF-8"));
            unusable.add(scene.record(0, new byte[] {(byte) 0xed, (byte) 0xa0, (byte) 0x80}, "lone surrogate"));
            var twice = scene.record(0, utf8("one"), "two headers");
            twice.headers().add("id", utf8("two"));
            unusable.add(twice);
            var nullHeader = scene.record(0, null, "null header");
            nullHeader.headers().add("id", null);
            unusable.add(nullHeader);
            for (int i = 0; i < 2; i++) {
                for (int each = 0; each < usable.size(); each++) {
                    scene.send(scene.record(0, utf8(usable.get(each)), "u" + each));
                }
            }
            unusable.forEach(scene::send);
            var same = scene.record(0, utf8("same"), "same twice");
            same.headers().add("id", utf8("same"));
            scene.send(same);
            scene.start(container(scene, batch));
            scene.awaitAllCommitted();
            List<String> expected = new ArrayList<>();
            for (int each = 0; each < usable.size(); each++) {
                expected.add("u" + each);
            }
            expected.add("same twice");
            assertThat(values).containsExactlyElementsOf(expected);
            assertThat(recovered)
                    .containsExactlyElementsOf(unusable.stream()
                            .map(record -> record.value() + " MissingMessageIdException")
                            .toList());
        }
    }

    @ParameterizedTest
    @EnumSource(OnMissingId.class)
    void missingIdPolicies(OnMissingId policy) {
        try (Scene scene = new Scene(p -> p.onMissingId(policy))) {
            scene.send(scene.record(0, null, "no ID"));
            scene.send("a");
            scene.start(container(scene, false));
            scene.awaitCommitted(2);
            assertThat(values).isEqualTo(policy == OnMissingId.PROCESS ? List.of("no ID", "v-a") : List.of("v-a"));
            assertThat(recovered).hasSize(policy == OnMissingId.FAIL ? 1 : 0);
        }
    }

    @ParameterizedTest(name = "batch={0}")
    @ValueSource(booleans = {true, false})
    @DisplayName("no message has an ID: the first few are rejected, the others wait for the right extractor")
    void noIdAtAll(boolean batch) {
        try (Scene scene = new Scene();
                KafkaDedup right = KafkaDedup.builder(scene.dedup)
                        .id(KafkaMessageIds.coordinates())
                        .build()) {
            for (int i = 0; i < 30; i++) {
                scene.send(scene.record(0, null, "v" + i));
            }
            var container = scene.start(container(scene, batch));
            scene.awaitCommitted(9);
            int before = Collections.frequency(scene.deferrals, "null MISSING_ID");
            await() // each poll of a batch asks for all of its records
                    .until(() -> Collections.frequency(scene.deferrals, "null MISSING_ID") > before + (batch ? 42 : 2));
            container.stop();

            assertThat(values).isEmpty();
            assertThat(recovered).hasSize(9).allMatch(each -> each.endsWith(" MissingMessageIdException"));
            assertThat(scene.committed()).containsEntry(0, 9L);

            var corrected = container(scene, batch);
            right.decorate(corrected);
            scene.start(corrected);
            scene.awaitCommitted(30);
            assertThat(values)
                    .containsExactlyElementsOf(
                            IntStream.range(9, 30).mapToObj(i -> "v" + i).toList());
            assertThat(recovered).hasSize(9);
        }
    }

    @Test
    @DisplayName("messages that wait because none had an ID are rejected when one has")
    void noIdUntilOneHas() {
        try (Scene scene = new Scene(2, policy -> policy.missingIdLimit(1))) {
            scene.send(scene.record(0, null, "no ID"));
            scene.start(container(scene, false));
            await().until(() -> scene.deferrals.contains("null MISSING_ID"));
            assertThat(recovered).isEmpty();

            scene.sendTo(1, "a");
            scene.awaitAllCommitted();
            assertThat(values).containsExactly("v-a");
            assertThat(recovered).containsExactly("no ID MissingMessageIdException");
        }
    }

    @Test
    @DisplayName("keys and JSON that are text of another class than String, as Avro's are")
    void textOfAnyClass() {
        MessageIdExtractor<ConsumerRecord<?, ?>> key = KafkaMessageIds.key();
        MessageIdExtractor<ConsumerRecord<?, ?>> json = KafkaMessageIds.json("/id");
        byte[] document = utf8("{\"id\":7}");
        for (Object value :
                List.of(CharBuffer.wrap("{\"id\":7}"), Bytes.wrap(document), ByteBuffer.wrap(document), document)) {
            assertThat(json.extract(new ConsumerRecord<>("t", 0, 0, null, value)))
                    .isEqualTo("7");
        }
        for (Object id : List.of(CharBuffer.wrap("o-1"), Bytes.wrap(utf8("o-1")), ByteBuffer.wrap(utf8("o-1")))) {
            assertThat(key.extract(new ConsumerRecord<>("t", 0, 0, id, null))).isEqualTo("o-1");
        }
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(OnConflict.class)
    @DisplayName("one ID with two payloads")
    void conflicts(OnConflict policy) {
        for (boolean batch : List.of(true, false)) {
            values.clear();
            recovered.clear();
            try (Scene scene = new Scene(p -> p.fingerprint(true).onConflict(policy))) {
                scene.send(scene.record(0, utf8("a"), "first"));
                scene.send(scene.record(0, utf8("a"), "first"));
                scene.send(scene.record(0, utf8("a"), "other"));
                scene.send(scene.record(0, utf8("a"), null)); // a tombstone
                scene.send("b");
                scene.start(container(scene, batch));
                scene.awaitCommitted(5);
                assertThat(values)
                        .isEqualTo(
                                policy == OnConflict.PROCESS
                                        ? List.of("first", "other", "null", "v-b")
                                        : List.of("first", "v-b"));
                assertThat(recovered)
                        .isEqualTo(
                                policy == OnConflict.FAIL
                                        ? List.of("other PayloadConflictException", "null PayloadConflictException")
                                        : List.of());
            }
        }
    }

    @Test
    @DisplayName("K16 a JSON Pointer on wrong JSON, tombstones, numbers and nested values")
    void json() {
        try (Scene scene = new Scene();
                KafkaDedup kafka = KafkaDedup.builder(scene.dedup)
                        .id(scene.topic, KafkaMessageIds.json("/payment/id"))
                        .build()) {
            List<String> good = List.of(
                    "{\"payment\":{\"id\":\"p1\"}}",
                    "{\"payment\":{\"id\":7}}",
                    "{\"payment\":{\"id\":\"p2\"},\"x\":1}");
            List<@Nullable String> bad = new ArrayList<>(List.of(
                    "{\"payment\":{\"id\":null}}",
                    "{\"payment\":{\"id\":{}}}",
                    "{\"payment\":{\"id\":\"\"}}",
                    "{\"payment\":{}}",
                    "{\"payment\":",
                    "no JSON",
                    "",
                    "[1]",
                    "{\"payment\":{\"id\":\"\\ud800\"}}"));
            bad.add(null);
            good.forEach(value -> scene.send(scene.record(0, null, value)));
            bad.forEach(value -> scene.send(scene.record(0, null, value)));
            good.forEach(value -> scene.send(scene.record(0, null, value)));
            var container = container(scene, false);
            kafka.decorate(container);
            scene.start(container);
            scene.awaitAllCommitted();
            assertThat(values).containsExactlyElementsOf(good);
            assertThat(recovered)
                    .containsExactlyElementsOf(bad.stream()
                            .map(value -> value + " MissingMessageIdException")
                            .toList());
        }
    }

    @ParameterizedTest(name = "batch={0}")
    @ValueSource(booleans = {true, false})
    @DisplayName("K16 a value that cannot be deserialized: recovered by the container, or given to the batch handler")
    void deserializationFailure(boolean batch) {
        try (Scene scene = new Scene()) {
            scene.send("a", "poison", "b");
            Map<String, Object> config = scene.consumerConfig();
            var failing = new ErrorHandlingDeserializer<>(new StringDeserializer() {
                @Override
                public String deserialize(String topic, byte[] data) {
                    String text = super.deserialize(topic, data);
                    if (text != null && text.contains("poison")) {
                        throw new IllegalStateException("cannot be deserialized");
                    }
                    return text;
                }
            });
            var properties = scene.container(AckMode.BATCH, (MessageListener<String, String>) this::handle)
                    .getContainerProperties();
            properties.setMessageListener(
                    batch
                            ? (BatchMessageListener<String, String>) records -> records.forEach(this::handle)
                            : (MessageListener<String, String>) this::handle);
            var container = new ConcurrentMessageListenerContainer<String, String>(
                    new DefaultKafkaConsumerFactory<>(config, new StringDeserializer(), failing), properties);
            container.setBeanName("deser");
            container.setCommonErrorHandler(new DefaultErrorHandler(
                    (record, e) -> recovered.add(record.offset() + ""), new FixedBackOff(0, 99)));
            scene.start(container);
            scene.awaitCommitted(3);
            assertThat(values).isEqualTo(batch ? List.of("v-a", "null", "v-b") : List.of("v-a", "v-b"));
            assertThat(recovered).isEqualTo(batch ? List.of() : List.of("1"));
        }
    }

    @Test
    @DisplayName("an extractor that throws: a missing ID, with the reason")
    void throwingExtractor() {
        MessageIdExtractor<ConsumerRecord<?, ?>> throwing = record -> {
            throw new IllegalStateException("secret\npayload");
        };
        try (Scene scene = new Scene();
                KafkaDedup kafka = KafkaDedup.builder(scene.dedup).id(throwing).build()) {
            List<String> messages = new CopyOnWriteArrayList<>();
            scene.send("a");
            var container = scene.container(AckMode.BATCH, (MessageListener<String, String>) this::handle);
            container.setCommonErrorHandler(new DefaultErrorHandler(
                    (record, e) -> messages.add(e.getCause().getMessage()), new FixedBackOff(0, 99)));
            kafka.decorate(container);
            scene.start(container);
            scene.awaitCommitted(1);
            assertThat(values).isEmpty();
            assertThat(messages).hasSize(1);
            assertThat(messages.get(0))
                    .contains("topic " + scene.topic + ", partition 0, offset 0", "IllegalStateException")
                    .doesNotContain("\n");
        }
    }
}
