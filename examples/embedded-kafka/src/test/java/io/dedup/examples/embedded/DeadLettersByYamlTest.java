package io.dedup.examples.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.core.KafkaOperations;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.DeadLetterPublishingRecoverer;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.support.converter.JacksonJsonMessageConverter;
import org.springframework.kafka.support.converter.RecordMessageConverter;
import org.springframework.kafka.test.context.EmbeddedKafka;
import org.springframework.util.backoff.FixedBackOff;

/** An application as spring-kafka's samples show one: nothing but YAML is added to it. */
@SpringBootTest(
        classes = DeadLettersByYamlTest.App.class,
        properties = {
            "dedup.topics.parcels.id=json:/id",
            "dedup.topics.parcels.window=7d",
            "dedup.strict=false" // application.yml also has a topic of BillingApplication's
        })
@EmbeddedKafka(
        topics = {"parcels", "parcels-dlt"},
        partitions = 1,
        bootstrapServersProperty = "spring.kafka.bootstrap-servers")
class DeadLettersByYamlTest {
    record Parcel(String id, String content) {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class App {
        private final List<String> sent = new CopyOnWriteArrayList<>();
        private final List<String> dead = new CopyOnWriteArrayList<>();

        @Bean
        CommonErrorHandler errorHandler(KafkaOperations<Object, Object> template) {
            return new DefaultErrorHandler(new DeadLetterPublishingRecoverer(template), new FixedBackOff(100, 2));
        }

        @Bean
        RecordMessageConverter converter() {
            return new JacksonJsonMessageConverter();
        }

        @KafkaListener(id = "sending", topics = "parcels")
        void send(Parcel parcel) {
            if (parcel.content().equals("broken")) {
                throw new IllegalStateException("refused, for the test");
            }
            sent.add(parcel.id());
        }

        @KafkaListener(id = "dead", topics = "parcels-dlt")
        void dead(ConsumerRecord<String, String> parcel) {
            dead.add(parcel.value());
        }
    }

    @Autowired
    private App app;

    @Autowired
    private KafkaTemplate<String, String> kafka;

    @Test
    @DisplayName("a payload that a converter makes, retries and a dead-letter topic: each parcel is sent once")
    void sentOnce() {
        for (String parcel : List.of(
                "{\"id\":\"p-1\",\"content\":\"books\"}",
                "{\"id\":\"p-2\",\"content\":\"broken\"}",
                "{\"id\":\"p-1\",\"content\":\"books\"}",
                "{\"id\":\"p-3\",\"content\":\"tea\"}")) {
            kafka.send("parcels", parcel).join();
        }

        await().atMost(Duration.ofMinutes(3)).until(() -> app.sent.contains("p-3") && !app.dead.isEmpty());

        assertThat(app.sent).containsExactly("p-1", "p-3");
        assertThat(app.dead).singleElement().asString().contains("p-2");
    }
}
