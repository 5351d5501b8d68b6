package io.dedup.spring.boot.internal.kafka;

import io.dedup.spring.boot.internal.check.RiskCheck;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatedListener;
import io.dedup.spring.boot.internal.text.SettingText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.kafka.core.KafkaAdmin;

/**
 * Compares windows with the topics' retention: a replay of a topic must not find IDs that are already forgotten. Waits for the broker's
 * answer for a limited time, and skips the check without one. Thread-safe.
 */
public final class KafkaRetentionCheck implements RiskCheck {
    private static final Logger log = LoggerFactory.getLogger("io.dedup");

    private final ObjectProvider<KafkaAdmin> admins;
    private final Duration timeout;

    public KafkaRetentionCheck(ObjectProvider<KafkaAdmin> admins, Duration timeout) {
        this.admins = admins;
        this.timeout = timeout;
    }

    @Override
    public List<Warning> warnings(List<DeduplicatedListener> served) {
        Map<String, Duration> windows = new LinkedHashMap<>();
        for (DeduplicatedListener each : served) {
            if (each.servedBy().broker().equals(KafkaListeners.BROKER)) {
                each.listener().byTopic().forEach((topic, plan) -> {
                    Duration window = plan.policy().window().duration();
                    if (window != null) {
                        windows.merge(topic, window, (a, b) -> a.compareTo(b) < 0 ? a : b);
                    }
                });
            }
        }
        KafkaAdmin admin = windows.isEmpty() ? null : admins.getIfAvailable();
        return admin == null ? List.of() : compared(windows, admin);
    }

    @Override
    public boolean waits() {
        return true;
    }

    private List<Warning> compared(Map<String, Duration> windows, KafkaAdmin kafkaAdmin) {
        Map<String, Object> settings = new HashMap<>(kafkaAdmin.getConfigurationProperties());
        settings.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) timeout.toMillis());
        settings.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) timeout.toMillis());
        List<Warning> warnings = new ArrayList<>();
        long until = System.nanoTime() + timeout.toNanos();
        try (Admin admin = Admin.create(settings)) {
            Map<ConfigResource, KafkaFuture<Config>> answers = admin.describeConfigs(windows.keySet().stream()
                            .map(topic -> new ConfigResource(ConfigResource.Type.TOPIC, topic))
                            .toList())
                    .values();
            for (Map.Entry<ConfigResource, KafkaFuture<Config>> answer : answers.entrySet()) {
                String topic = answer.getKey().name();
                Duration retention = retention(topic, answer.getValue(), until);
                Duration window = windows.get(topic);
                if (retention != null && window != null && retention.compareTo(window) > 0) {
                    warnings.add(warning(topic, window, retention));
                }
            }
            admin.close(Duration.ZERO);
        } catch (KafkaException e) {
            log.info(
                    "Cannot ask the broker for the retention of topics, so windows are not compared with it: {}",
                    e.toString());
        }
        return warnings;
    }

    private static @Nullable Duration retention(String topic, KafkaFuture<Config> answer, long until) {
        try {
            Config config = answer.get(Math.max(0, until - System.nanoTime()), TimeUnit.NANOSECONDS);
            ConfigEntry millis = config.get(TopicConfig.RETENTION_MS_CONFIG);
            if (millis == null || millis.value() == null) {
                return null;
            }
            long value = Long.parseLong(millis.value());
            return Duration.ofMillis(value < 0 ? Long.MAX_VALUE : value);
        } catch (ExecutionException | TimeoutException e) {
            log.info(
                    "Cannot read the retention of topic {}, so its window is not compared with it: {}",
                    topic,
                    e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return null;
    }

    private static long wholeHours(Duration retention) {
        return retention.plusHours(1).minusNanos(1).toHours();
    }

    private static Warning warning(String topic, Duration window, Duration retention) {
        boolean forever = retention.toMillis() == Long.MAX_VALUE;
        return new Warning(
                "The broker retains topic " + topic + " " + (forever ? "forever" : "for " + SettingText.of(retention))
                        + ", but its window is " + SettingText.of(window)
                        + ": if the topic is replayed, older messages take effect again",
                "Set dedup.topics.\"[" + topic + "]\".window to "
                        + (forever ? "forever" : "at least " + wholeHours(retention) + "h")
                        + " (or where this listener's window is set), or never replay more of the topic than its window.");
    }
}
