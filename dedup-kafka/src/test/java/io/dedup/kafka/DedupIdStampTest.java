package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.kafka.id.DedupIdStamp;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.MessageListener;

/** What an application sends again, and what of it is recognized. */
class DedupIdStampTest {
    /** By name, in a producer's settings. */
    public static final class ByValue implements Function<ProducerRecord<String, String>, String> {
        @Override
        public String apply(ProducerRecord<String, String> record) {
            return "id of " + record.value();
        }
    }

    private final Scene scene = new Scene();

    @AfterEach
    void close() {
        scene.close();
    }

    private void consumes(long records) {
        scene.start(scene.container(
                AckMode.RECORD, (MessageListener<String, String>) record -> scene.effects.add(record.value())));
        scene.awaitCommitted(records);
    }

    private ProducerRecord<String, String> record(String value) {
        return new ProducerRecord<>(scene.topic, value);
    }

    @Test
    @DisplayName(
            "the same object, sent again, keeps its random ID; a second call with the same value is another message")
    void random() {
        KafkaTemplate<String, String> template = scene.template();
        template.setProducerInterceptor(DedupIdStamp.random("id"));
        var one = record("same object");
        template.send(one).join();
        template.send(one).join();
        template.send(scene.topic, "same value").join();
        template.send(scene.topic, "same value").join();
        var own = record("own ID");
        own.headers().add("id", "a".getBytes(StandardCharsets.UTF_8));
        template.send(own).join();
        scene.send("a");

        consumes(6);
        assertThat(scene.effects).containsExactly("same object", "same value", "same value", "own ID");
    }

    @Test
    @DisplayName(
            "with a function, everything of the same ID is recognized, from any producer, also after a send without a stamp")
    void function() throws Exception {
        KafkaTemplate<String, String> template = scene.template();
        template.setProducerInterceptor(DedupIdStamp.of("id", new ByValue()));
        template.send(scene.topic, "a").join();
        template.send(scene.topic, "a").join();
        Map<String, Object> config = Map.of(
                "bootstrap.servers",
                scene.bootstrap,
                "interceptor.classes",
                DedupIdStamp.class.getName(),
                DedupIdStamp.HEADER_CONFIG,
                "id",
                DedupIdStamp.FUNCTION_CONFIG,
                ByValue.class.getName());
        try (var producer = new KafkaProducer<>(config, new StringSerializer(), new StringSerializer());
                var bare = new KafkaProducer<>(
                        Map.of("bootstrap.servers", (Object) scene.bootstrap),
                        new StringSerializer(),
                        new StringSerializer())) {
            producer.send(record("a")).get();
            producer.send(record("b")).get();
            var unstamped = record("b");
            bare.send(unstamped).get(); // its headers cannot be written from here on
            producer.send(unstamped).get();
        }

        consumes(6);
        assertThat(scene.effects).containsExactly("a", "b");
        assertThat(scene.records(scene.topic))
                .filteredOn(sent -> sent.headers().lastHeader("id") == null)
                .hasSize(1);
        assertThat(scene.events).filteredOn("duplicate id of b"::equals).hasSize(1);
    }

    @Test
    @DisplayName(
            "a function that gives nothing, nonsense, or cannot be made: no ID, or an error that names the setting")
    void badInput() {
        assertThat(DedupIdStamp.<String, String>of("id", record -> " ")
                        .onSend(record("a"))
                        .headers())
                .isEmpty();
        assertThatThrownBy(() -> DedupIdStamp.<String, String>of("id", record -> "\uD800")
                        .onSend(record("a")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(scene.topic);
        assertThatThrownBy(() -> DedupIdStamp.random(" ")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new DedupIdStamp<>().configure(Map.of(DedupIdStamp.FUNCTION_CONFIG, "no.such.Class")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(DedupIdStamp.FUNCTION_CONFIG);
        assertThatThrownBy(() -> new DedupIdStamp<>().configure(Map.of(DedupIdStamp.FUNCTION_CONFIG, String.class)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Function");
    }
}
