package io.dedup.kafka.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.Deduplicator;
import io.dedup.testservers.kafka.KafkaServers;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JsonParser;

@DisplayName("Without Spring on the class path")
class WithoutSpringTest {
    /** What a user gets: dedup's two modules, Kafka's client, slf4j; and Jackson's core for IDs in JSON. */
    private static final List<Class<?>> ON_CLASS_PATH = List.of(
            Deduplicator.class,
            DedupPoll.class,
            KafkaConsumer.class,
            LoggerFactory.class,
            JsonParser.class,
            PlainLoop.class);

    @Test
    @DisplayName("a loop runs, and all ready-made IDs and the ID stamp work")
    void runs() throws Exception {
        List<URL> urls = new ArrayList<>();
        for (Class<?> each : ON_CLASS_PATH) {
            urls.add(each.getProtectionDomain().getCodeSource().getLocation());
        }
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (URLClassLoader plain =
                new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            assertThatThrownBy(() -> plain.loadClass("org.springframework.kafka.support.KafkaUtils"))
                    .isInstanceOf(ClassNotFoundException.class);
            Thread.currentThread().setContextClassLoader(plain); // Kafka's client loads serializers with it
            Object loop = plain.loadClass(PlainLoop.class.getName())
                    .getConstructor(String.class)
                    .newInstance(KafkaServers.shared().bootstrapServers());
            assertThat(((Callable<?>) loop).call())
                    .isEqualTo(List.of("header", "key", "json", "cloudEvent", "coordinates", "stamp"));
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }
}
