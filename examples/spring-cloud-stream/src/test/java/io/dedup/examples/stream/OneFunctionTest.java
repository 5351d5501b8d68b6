package io.dedup.examples.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.testservers.kafka.KafkaServers;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.cloud.function.context.FunctionCatalog;
import org.springframework.context.annotation.Bean;
import org.springframework.messaging.Message;

/** An application with one function needn't name it in {@code spring.cloud.function.definition}. */
class OneFunctionTest {
    @TestConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class App {
        private final List<String> handled = new CopyOnWriteArrayList<>();

        @Bean
        Consumer<Message<String>> ship() {
            return message -> handled.add(message.getPayload());
        }
    }

    @Test
    @DisplayName("Spring Cloud Stream finds the application's only function, because no bean of ours is one")
    void found() throws Exception {
        KafkaServers.shared().createTopic("shipments", 1);
        String bootstrap = KafkaServers.shared().bootstrapServers();
        try (var producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", (Object) bootstrap), new StringSerializer(), new StringSerializer())) {
            for (String key : List.of("a", "a", "b")) {
                producer.send(new ProducerRecord<>("shipments", key, key)).get();
            }
        }
        try (var context = new SpringApplicationBuilder(App.class)
                .run(
                        "--spring.config.name=none",
                        "--spring.main.web-application-type=none",
                        "--spring.kafka.bootstrap-servers=" + bootstrap,
                        "--spring.datasource.url=jdbc:h2:mem:shipments",
                        "--spring.cloud.stream.bindings.ship-in-0.destination=shipments",
                        "--spring.cloud.stream.bindings.ship-in-0.group=g",
                        "--dedup.store=jdbc",
                        "--dedup.jdbc.initialize-schema=always",
                        "--dedup.topics.shipments.id=key")) {
            assertThat(context.getBean(FunctionCatalog.class).getNames(null))
                    .noneMatch(name -> name.startsWith("dedup"));
            List<String> handled = context.getBean(App.class).handled;
            await().atMost(Shop.SOON).until(() -> handled.contains("b"));
            assertThat(handled).containsExactly("a", "b");
        }
    }
}
