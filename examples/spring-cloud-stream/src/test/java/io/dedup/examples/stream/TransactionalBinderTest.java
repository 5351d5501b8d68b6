package io.dedup.examples.stream;

import static io.dedup.examples.stream.Shop.SOON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.testservers.kafka.KafkaServers;
import java.time.Duration;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** The binder in Kafka transactions. */
class TransactionalBinderTest {
    private static final Handled BOOKED = new Handled();

    @TestConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class App {
        @Bean
        Function<String, String> transfer() {
            return text -> {
                BOOKED.take(text);
                return text + " is booked";
            };
        }
    }

    private static ConfigurableApplicationContext start() {
        String bindings = "--spring.cloud.stream.bindings.";
        String kafka = "--spring.cloud.stream.kafka.";
        return new SpringApplicationBuilder(App.class)
                .run(
                        "--spring.main.web-application-type=none",
                        "--spring.config.name=none",
                        "--spring.kafka.bootstrap-servers="
                                + KafkaServers.shared().bootstrapServers(),
                        "--spring.datasource.url=jdbc:h2:mem:transfers",
                        "--dedup.store=jdbc",
                        "--dedup.jdbc.initialize-schema=always",
                        "--dedup.topics.transfers.id=key",
                        "--dedup.defaults.in-flight-wait=10ms",
                        "--dedup.defaults.max-defer-delay=100ms",
                        "--spring.cloud.function.definition=transfer",
                        bindings + "transfer-in-0.destination=transfers",
                        bindings + "transfer-in-0.group=bank",
                        bindings + "transfer-in-0.consumer.concurrency=2",
                        bindings + "transfer-in-0.consumer.max-attempts=2",
                        bindings + "transfer-in-0.consumer.back-off-initial-interval=10",
                        bindings + "transfer-out-0.destination=booked",
                        kafka + "bindings.transfer-in-0.consumer.start-offset=earliest",
                        kafka + "bindings.transfer-in-0.consumer.enable-dlq=true",
                        kafka + "bindings.transfer-in-0.consumer.dlq-name=transfers-dlq",
                        kafka + "binder.required-acks=all",
                        kafka + "binder.transaction.transaction-id-prefix=tx-");
    }

    @Test
    @DisplayName("a failure is rolled back and counts; a copy of a message in flight waits, and is never dead-lettered")
    void transactions() {
        Shop shop = Shop.shared(); // its producer
        KafkaServers.shared().createTopic("transfers", 2);
        KafkaServers.shared().createTopic("booked", 1);
        try (ConfigurableApplicationContext unused = start()) {
            shop.send("transfers", 0, "1", "t1");
            shop.send("transfers", 0, "1", "t1, a copy");
            shop.send("transfers", 0, "2", "fail t2");
            shop.send("transfers", 0, "3", "doom t3");
            shop.send("transfers", 0, "3", "t3, replayed");
            shop.send("transfers", 0, "4", "wait t4");
            await().atMost(SOON).until(() -> BOOKED.count("wait t4") == 1);
            shop.send("transfers", 1, "4", "t4, a copy");
            shop.send("transfers", 1, "5", "t5");
            await().during(Duration.ofMillis(500)).atMost(SOON).until(() -> BOOKED.count("t5") == 0); // many deferrals
            BOOKED.open("wait t4");
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(Shop.texts("booked"))
                            .containsExactlyInAnyOrder(
                                    "t1 is booked",
                                    "fail t2 is booked",
                                    "t3, replayed is booked",
                                    "wait t4 is booked",
                                    "t5 is booked"));
            assertThat(BOOKED.count("t1, a copy") + BOOKED.count("t4, a copy")).isZero();
            assertThat(BOOKED.count("fail t2")).isEqualTo(2);
            assertThat(Shop.texts("transfers-dlq")).containsExactly("doom t3");
        }
    }
}
