package io.dedup.testservers.kafka;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;

/** Where a Kafka broker listens. */
public record KafkaAddress(String bootstrapServers) {

    private static final Duration LIMIT = Duration.ofMinutes(3);

    /**
     * Creates a topic and returns when the broker knows it.
     *
     * @throws IllegalStateException when there is such a topic, or no answer within 60 s
     */
    public void createTopic(String name, int partitions) {
        createTopic(name, partitions, Map.of());
    }

    /** The same, with topic settings such as {@code retention.ms}. */
    public void createTopic(String name, int partitions, Map<String, String> settings) {
        createTopic(name, partitions, 1, settings);
    }

    /** The same; each partition on so many brokers. */
    void createTopic(String name, int partitions, int replicas, Map<String, String> settings) {
        try (Admin admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers))) {
            admin.createTopics(List.of(new NewTopic(name, partitions, (short) replicas).configs(settings)))
                    .all()
                    .get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("cannot create topic " + name + " at " + bootstrapServers, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while creating topic " + name, e);
        }
    }
}
