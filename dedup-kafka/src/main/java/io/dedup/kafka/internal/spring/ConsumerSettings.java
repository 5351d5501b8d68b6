package io.dedup.kafka.internal.spring;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.consumer.RoundRobinAssignor;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeansException;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;

/** The Kafka consumer's settings as a container will use them: its own properties override its factory's. */
public final class ConsumerSettings {
    private static final Duration KAFKA_DEFAULT_MAX_POLL_INTERVAL = Duration.ofMinutes(5);

    /**
     * If one of these is in the list, all members rebalance eagerly: a group uses a protocol that all its assignors
     * support.
     */
    private static final Set<String> EAGER =
            Set.of(RangeAssignor.class.getName(), RoundRobinAssignor.class.getName(), StickyAssignor.class.getName());

    private final Properties overrides;
    private final ConsumerFactory<?, ?> factory;

    public ConsumerSettings(AbstractMessageListenerContainer<?, ?> container) {
        this.overrides = container.getContainerProperties().getKafkaConsumerProperties();
        this.factory = factoryOf(container);
    }

    /** The container exposes its factory to subclasses only. */
    public static ConsumerFactory<?, ?> factoryOf(AbstractMessageListenerContainer<?, ?> container) {
        try {
            Object factory = new DirectFieldAccessor(container).getPropertyValue("consumerFactory");
            if (factory instanceof ConsumerFactory<?, ?> found) {
                return found;
            }
        } catch (BeansException e) {
            throw new IllegalStateException(
                    "Cannot read the consumer factory of listener container " + container.getListenerId()
                            + ", so its settings cannot be checked. If the Java module system denies the access, open"
                            + " org.springframework.kafka.listener to io.dedup.kafka",
                    e);
        }
        throw new IllegalStateException("Listener container " + container.getListenerId() + " has no consumer factory");
    }

    /** Whether the factory lets its consumers be watched; some factories ignore post-processors. */
    public boolean canWatch() {
        return !factory.getPostProcessors().isEmpty();
    }

    public Duration maxPollInterval() {
        Object value = get(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG);
        if (value instanceof Duration duration) {
            return duration;
        }
        if (value instanceof Number number) {
            return Duration.ofMillis(number.longValue());
        }
        return value instanceof String text ? Duration.ofMillis(Long.parseLong(text)) : KAFKA_DEFAULT_MAX_POLL_INTERVAL;
    }

    public int maxPollRecords() {
        Object value = get(ConsumerConfig.MAX_POLL_RECORDS_CONFIG);
        return value == null
                ? ConsumerConfig.DEFAULT_MAX_POLL_RECORDS
                : Integer.parseInt(value.toString().trim());
    }

    /** As the container decides it: if unset, the container commits itself. */
    public boolean autoCommit() {
        Object value = get(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG);
        return value != null && Boolean.parseBoolean(value.toString().trim());
    }

    /** Whether a group without offsets begins at the end of its partitions. */
    public boolean beginsAtTheEnd() {
        Object value = get(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG);
        return value == null || value.toString().trim().equals("latest");
    }

    /**
     * Whether a rebalance may leave the consumer some of its partitions, so that it continues polling while commits
     * fail.
     */
    public boolean isCooperative() {
        Object strategy = get(ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG);
        List<?> assignors = strategy instanceof List<?> list
                ? list
                : strategy == null ? List.of() : List.of(strategy.toString().split(","));
        return !assignors.isEmpty()
                && assignors.stream()
                        .noneMatch(each -> EAGER.contains(
                                each instanceof Class<?> type
                                        ? type.getName()
                                        : each.toString().trim()));
    }

    /** The settings of an admin client that connects as the consumers do. */
    public Map<String, Object> ofAdmin() {
        Map<String, Object> settings = new HashMap<>();
        for (String name : AdminClientConfig.configNames()) {
            Object value = get(name);
            if (value != null) {
                settings.put(name, value);
            }
        }
        settings.remove(AdminClientConfig.CLIENT_ID_CONFIG); // the consumers' own
        settings.remove(AdminClientConfig.METRIC_REPORTER_CLASSES_CONFIG);
        return settings;
    }

    private @Nullable Object get(String name) {
        Object override = overrides.get(name);
        if (override == null) {
            override = overrides.getProperty(name); // properties may have defaults of their own
        }
        return override != null
                ? override
                : factory.getConfigurationProperties().get(name);
    }
}
