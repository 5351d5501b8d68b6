package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.kafka.id.KafkaMessageIds;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.core.SpringVersion;
import org.springframework.kafka.listener.KafkaMessageListenerContainer;

class SpringKafkaLineTest {
    private static String jarOf(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation().getPath();
    }

    @Test
    @DisplayName("the tests run on the line that they are asked to")
    void line() {
        assertThat(jarOf(KafkaMessageListenerContainer.class))
                .contains(SpringKafkaLine.OLDER ? "spring-kafka-3.3" : "spring-kafka-4.");
        assertThat(jarOf(KafkaConsumer.class))
                .contains(SpringKafkaLine.OLDER ? "kafka-clients-3.9" : "kafka-clients-4.");
        assertThat(SpringVersion.getVersion()).startsWith(SpringKafkaLine.OLDER ? "6.2." : "7.");
    }

    @Test
    @DisplayName(
            "a container that looks at the methods of the public types, as Spring does with beans, finds no type missing")
    void reflection() {
        List<Method> methods = Arrays.stream(new Class<?>[] {
                    KafkaDedup.class, KafkaDedupBuilder.class, KafkaMessageIds.class, KafkaDedupInstaller.class
                })
                .flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
                .toList();
        assertThat(methods).isNotEmpty();
    }
}
