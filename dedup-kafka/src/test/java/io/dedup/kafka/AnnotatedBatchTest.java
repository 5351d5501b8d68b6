package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.adapter.WaitBudget;
import io.dedup.kafka.internal.spring.PollResults;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.log.LogAccessor;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.BatchInterceptor;
import org.springframework.kafka.listener.BatchListenerFailedException;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.adapter.DefaultBatchToRecordAdapter;
import org.springframework.kafka.support.KafkaHeaders;
import org.springframework.kafka.support.KafkaUtils;
import org.springframework.kafka.support.converter.BatchMessagingMessageConverter;
import org.springframework.kafka.support.converter.ConversionException;
import org.springframework.kafka.support.converter.MessagingMessageConverter;
import org.springframework.kafka.support.serializer.DeserializationException;
import org.springframework.kafka.support.serializer.ErrorHandlingDeserializer;
import org.springframework.kafka.support.serializer.SerializationUtils;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.util.backoff.FixedBackOff;

/** What annotated batch methods are given, and what they say about it, where the poll holds duplicates. */
class AnnotatedBatchTest {
    private final List<String> recovered = new CopyOnWriteArrayList<>();
    private final List<String> calls = new CopyOnWriteArrayList<>();

    /** A factory of batch listeners whose failed records are tried twice. */
    private void batches(ConcurrentKafkaListenerContainerFactory<String, String> factory) {
        factory.setBatchListener(true);
        factory.setCommonErrorHandler(
                new DefaultErrorHandler((record, e) -> recovered.add(Scene.id(record)), new FixedBackOff(0, 1)));
    }

    /** A poll that begins with a duplicate. */
    private static void sendBehindDuplicate(Scene scene, String... ids) {
        scene.runningElsewhere("done").succeed(null, WaitBudget.none());
        scene.send("done");
        scene.send(ids);
    }

    private static String name(byte[] id) {
        return new String(id, StandardCharsets.UTF_8);
    }

    /** Handles up to the bad one, and names that. */
    private static void handle(Scene scene, String id, int index) {
        if (id.equals("bad")) {
            throw new BatchListenerFailedException("bad", index);
        }
        scene.effects.add(id);
    }

    record Records(Scene scene) {
        @KafkaListener(groupId = "${group}", topics = "${topic}")
        public void on(List<ConsumerRecord<String, String>> records) {
            for (int i = 0; i < records.size(); i++) {
                handle(scene, Scene.id(records.get(i)), i);
            }
        }
    }

    record Poll(Scene scene) {
        @KafkaListener(groupId = "${group}", topics = "${topic}")
        public void on(ConsumerRecords<String, String> records) {
            int index = 0;
            for (ConsumerRecord<String, String> record : records) {
                handle(scene, Scene.id(record), index++);
            }
        }
    }

    record Messages(Scene scene) {
        @KafkaListener(groupId = "${group}", topics = "${topic}")
        public void on(List<Message<?>> messages) {
            for (int i = 0; i < messages.size(); i++) {
                byte[] id = messages.get(i).getHeaders().get("id", byte[].class);
                assertThat(messages.get(i).getPayload()).isEqualTo("v-" + name(id));
                handle(scene, name(id), i);
            }
        }
    }

    record Payloads(Scene scene) {
        @KafkaListener(groupId = "${group}", topics = "${topic}")
        public void on(
                List<String> payloads,
                @Header(KafkaHeaders.OFFSET) List<Long> offsets,
                @Header(KafkaHeaders.NATIVE_HEADERS) List<Headers> headers) {
            assertThat(payloads).hasSameSizeAs(offsets).hasSameSizeAs(headers);
            for (int i = 0; i < payloads.size(); i++) {
                String id = name(headers.get(i).lastHeader("id").value());
                assertThat(payloads.get(i)).isEqualTo("v-" + id);
                handle(scene, id, i);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"records", "poll", "messages", "payloads"})
    @DisplayName(
            "K6 each shape: payloads and headers belong together without the duplicates, and an index means its record")
    void shapes(String shape) {
        try (Scene scene = new Scene()) {
            sendBehindDuplicate(scene, "a", "a", "bad", "c");
            new AnnotatedScene(scene)
                    .with(this::batches)
                    .start(
                            switch (shape) {
                                case "records" -> new Records(scene);
                                case "poll" -> new Poll(scene);
                                case "messages" -> new Messages(scene);
                                default -> new Payloads(scene);
                            });
            scene.awaitCommitted(5);
            assertThat(scene.effects).containsExactly("a", "c");
            assertThat(recovered).containsExactly("bad");
        }
    }

    record Converted(Scene scene, List<String> calls) {
        @KafkaListener(groupId = "${group}", topics = "${topic}")
        public void on(
                List<@Nullable String> payloads,
                @Header(KafkaHeaders.CONVERSION_FAILURES) List<@Nullable ConversionException> failures) {
            calls.add(payloads.toString());
            for (int i = 0; i < payloads.size(); i++) {
                if (failures.get(i) != null) {
                    throw new BatchListenerFailedException("not converted", failures.get(i), i);
                }
                scene.effects.add(String.valueOf(payloads.get(i)).substring(2));
            }
        }
    }

    @Test
    @DisplayName(
            "K16 a converter that fails for one record: the handler finds it at its index, and it is recovered alone")
    void conversionFailure() {
        try (Scene scene = new Scene()) {
            sendBehindDuplicate(scene, "a", "poison", "c");
            var records = new MessagingMessageConverter() {
                @Override
                protected Object extractAndConvertValue(ConsumerRecord<?, ?> record, @Nullable Type type) {
                    if ("v-poison".equals(record.value())) {
                        throw new ConversionException("cannot be converted", record, new IllegalStateException());
                    }
                    return super.extractAndConvertValue(record, type);
                }
            };
            new AnnotatedScene(scene)
                    .with(factory -> {
                        batches(factory);
                        factory.setBatchMessageConverter(new BatchMessagingMessageConverter(records));
                    })
                    .start(new Converted(scene, calls));
            scene.awaitCommitted(4);
            assertThat(scene.effects).containsExactly("a", "c");
            assertThat(recovered).containsExactly("poison");
            assertThat(calls.get(0)).isEqualTo("[v-a, null, v-c]");
        }
    }

    record Deserialized(Scene scene) {
        @KafkaListener(groupId = "${group}", topics = "${topic}")
        public void on(List<ConsumerRecord<String, String>> records) {
            for (ConsumerRecord<String, String> record : records) {
                if (record.value() == null) {
                    DeserializationException failure = SerializationUtils.byteArrayToDeserializationException(
                            new LogAccessor(getClass()),
                            record.headers().lastHeader(KafkaUtils.VALUE_DESERIALIZER_EXCEPTION_HEADER));
                    throw new BatchListenerFailedException("not deserialized", failure, record);
                }
                scene.effect().accept(record);
            }
        }
    }

    @Test
    @DisplayName("K16 a value that cannot be deserialized, named by the handler: recovered alone, at once")
    void deserializationFailure() {
        try (Scene scene = new Scene()) {
            sendBehindDuplicate(scene, "a", "poison", "c");
            var failing = new StringDeserializer() {
                @Override
                public String deserialize(String topic, byte[] data) {
                    String text = super.deserialize(topic, data);
                    if ("v-poison".equals(text)) {
                        throw new IllegalStateException("cannot be deserialized");
                    }
                    return text;
                }
            };
            new AnnotatedScene(scene)
                    .with(factory -> {
                        batches(factory);
                        factory.setConsumerFactory(new DefaultKafkaConsumerFactory<>(
                                scene.consumerConfig(),
                                new StringDeserializer(),
                                new ErrorHandlingDeserializer<>(failing)));
                    })
                    .start(new Deserialized(scene));
            scene.awaitCommitted(4);
            assertThat(scene.effects).containsExactly("a", "c");
            assertThat(recovered).containsExactly("poison");
        }
    }

    record OneByOne(Scene scene) {
        @KafkaListener(groupId = "${group}", topics = "${topic}")
        public void on(String value, @Header("id") byte[] id) {
            if (name(id).equals("bad")) {
                throw new IllegalStateException("bad");
            }
            scene.effects.add(name(id));
        }
    }

    @Test
    @DisplayName("a BatchToRecordAdapter gives the method one record after the other; what its recoverer takes is done")
    void batchToRecord() {
        try (Scene scene = new Scene()) {
            sendBehindDuplicate(scene, "a", "bad", "a", "c");
            new AnnotatedScene(scene)
                    .with(factory -> {
                        batches(factory);
                        factory.setBatchToRecordAdapter(
                                new DefaultBatchToRecordAdapter<>((record, e) -> calls.add(Scene.id(record))));
                    })
                    .start(new OneByOne(scene));
            scene.awaitCommitted(5);
            scene.send("bad", "c");
            scene.awaitCommitted(7);
            assertThat(scene.effects).containsExactly("a", "c");
            assertThat(calls).containsExactly("bad");
            assertThat(recovered).isEmpty();
        }
    }

    private final class Dropping implements BatchInterceptor<String, String> {
        @Override
        public ConsumerRecords<String, String> intercept(
                ConsumerRecords<String, String> records, Consumer<String, String> consumer) {
            Map<TopicPartition, List<ConsumerRecord<String, String>>> kept = new HashMap<>();
            records.partitions()
                    .forEach(partition -> kept.put(
                            partition,
                            records.records(partition).stream()
                                    .filter(record -> !Scene.id(record).equals("dropped"))
                                    .toList()));
            return PollResults.of(kept, records);
        }

        @Override
        public void success(ConsumerRecords<String, String> records, Consumer<String, String> consumer) {
            calls.add("success " + records.count());
        }

        @Override
        public void failure(
                ConsumerRecords<String, String> records, Exception exception, Consumer<String, String> consumer) {
            calls.add("failure " + records.count());
        }
    }

    @Test
    @DisplayName(
            "a BatchInterceptor sees the whole poll; what it drops isn't handled, and the handler's index is unmoved")
    void interceptor() {
        try (Scene scene = new Scene()) {
            sendBehindDuplicate(scene, "dropped", "a", "bad", "c");
            new AnnotatedScene(scene)
                    .with(factory -> {
                        batches(factory);
                        factory.setContainerCustomizer(container -> container.setBatchInterceptor(new Dropping()));
                    })
                    .start(new Records(scene));
            scene.awaitCommitted(5);
            assertThat(scene.effects).containsExactly("a", "c");
            assertThat(recovered).containsExactly("bad");
            assertThat(calls).contains("failure 4").last().asString().startsWith("success");
        }
    }
}
