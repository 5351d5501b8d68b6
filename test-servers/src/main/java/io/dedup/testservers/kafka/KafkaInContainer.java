package io.dedup.testservers.kafka;

import io.dedup.testservers.containers.Containers;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.testcontainers.kafka.KafkaContainer;

/** Kafka in a container that ends with this JVM. */
final class KafkaInContainer {

    private KafkaInContainer() {}

    /** Empty where there is no Docker. */
    static Optional<KafkaAddress> start() {
        return Containers.start("kafka", () -> {
            Map<String, String> environment = KafkaSettings.common().entrySet().stream()
                    .collect(Collectors.toMap(KafkaInContainer::variable, Map.Entry::getValue));
            KafkaContainer container = new KafkaContainer(
                            Containers.image("kafka", "apache/kafka:4.2.1").asCompatibleSubstituteFor("apache/kafka"))
                    .withEnv(environment);
            container.start();
            return new KafkaAddress(container.getBootstrapServers());
        });
    }

    /** {@code a.b} is {@code KAFKA_A_B} to Kafka's image. */
    private static String variable(Map.Entry<String, String> setting) {
        return "KAFKA_" + setting.getKey().toUpperCase(Locale.ROOT).replace('.', '_');
    }
}
