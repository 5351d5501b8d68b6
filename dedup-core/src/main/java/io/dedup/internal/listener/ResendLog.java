package io.dedup.internal.listener;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupScope;
import io.dedup.duplicate.DuplicateCause;
import io.dedup.duplicate.DuplicateDetails;
import io.dedup.text.Printable;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** Logs at INFO that a producer has sent a message again: one line an hour for each topic, of the first such message. Thread-safe. */
public final class ResendLog implements DedupListener {
    private static final long QUIET_NANOS = TimeUnit.HOURS.toNanos(1);
    private static final int MAX_TOPICS = 1_000;

    private final Logger log;
    private final LongSupplier nanoTime;
    private final Map<DedupScope, Long> lastByTopic = new ConcurrentHashMap<>();

    public ResendLog(Logger log, LongSupplier nanoTime) {
        this.log = log;
        this.nanoTime = nanoTime;
    }

    @Override
    public void explained(DedupKey key, DuplicateDetails details) {
        if (details.cause() == DuplicateCause.RESENT && isDue(key.scope())) {
            @Nullable Instant completedAt = details.completedAt();
            log.info(
                    "A producer has sent a message again: message ID {}, first at {}{}, again at {}{}. The next such line of"
                            + " this topic follows in an hour at the earliest",
                    key,
                    details.first(),
                    completedAt == null ? "" : " (handled at " + completedAt + ")",
                    details.copy(),
                    details.sender() == null ? "" : ", sent by " + Printable.of(details.sender()));
        }
    }

    private boolean isDue(DedupScope topic) {
        long now = nanoTime.getAsLong();
        Long last = lastByTopic.get(topic);
        if (last == null) {
            return lastByTopic.size() < MAX_TOPICS && lastByTopic.putIfAbsent(topic, now) == null;
        }
        return now - last >= QUIET_NANOS && lastByTopic.replace(topic, last, now);
    }
}
