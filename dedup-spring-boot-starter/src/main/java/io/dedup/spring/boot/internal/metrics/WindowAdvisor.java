package io.dedup.spring.boot.internal.metrics;

import io.dedup.spring.boot.internal.text.SettingText;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns when duplicates arrive close to the end of their window: later ones take effect again, and nothing shows it. Once an hour for
 * each topic. Thread-safe.
 */
public final class WindowAdvisor {
    private static final Logger log = LoggerFactory.getLogger("io.dedup");
    private static final double CLOSE = 0.8;
    private static final long QUIET_NANOS = Duration.ofHours(1).toNanos();

    private final LongSupplier nanoTime;
    private final Map<String, Long> lastByTopic = new ConcurrentHashMap<>();

    public WindowAdvisor(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    void duplicate(String consumer, String topic, Duration age, Duration window) {
        if (age.toMillis() < CLOSE * window.toMillis()) {
            return;
        }
        if (mayWarn(consumer + "/" + topic)) {
            log.warn(
                    "Topic {}, consumer {}: a duplicate arrived {} after the first message, and the window is {}. A duplicate"
                            + " that arrives after the window takes effect again: make dedup.topics.\"[{}]\".window longer",
                    topic,
                    consumer,
                    SettingText.of(age),
                    SettingText.of(window),
                    topic);
        }
    }

    private boolean mayWarn(String of) {
        long now = nanoTime.getAsLong();
        Long last = lastByTopic.putIfAbsent(of, now);
        return last == null || (now - last >= QUIET_NANOS && lastByTopic.replace(of, last, now));
    }
}
