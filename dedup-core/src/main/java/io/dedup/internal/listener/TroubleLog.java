package io.dedup.internal.listener;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupStoreException;
import io.dedup.DedupTopic;
import io.dedup.MissingMessageIdException;
import io.dedup.internal.settings.DedupTopics;
import io.dedup.policy.OnConflict;
import io.dedup.policy.OnMissingId;
import io.dedup.policy.SettingNames;
import io.dedup.text.Printable;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Logs problems for applications without a {@link DedupListener}: store failures, messages that run without
 * deduplication or are never recorded, and handlers that may run twice at the same time. Writes at most one line in ten
 * seconds for each kind of problem and topic, with the number of events since the last one, because a problem usually
 * affects every message. Thread-safe.
 */
public final class TroubleLog implements DedupListener {
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final String consumer;
    private final String store;
    private final DedupTopics topics;
    private final LongSupplier nanoTime;
    private final Consumer<String> log;
    private final Map<String, Kind> kinds = new ConcurrentHashMap<>();

    /**
     * Creates a log.
     *
     * @param topics their policies determine how settings are named
     * @param log receives the lines
     */
    public TroubleLog(DedupTopics topics, String store, LongSupplier nanoTime, Consumer<String> log) {
        this.consumer = Printable.sentence(topics.consumer()); // comes from configuration
        this.topics = topics;
        this.store = store;
        this.nanoTime = nanoTime;
        this.log = log;
    }

    /** When the next line of one kind is due, and how many events were skipped. Thread-safe. */
    private static final class Kind {
        private static final int QUIET = -1;

        private final AtomicLong due;
        private final AtomicInteger passedOver = new AtomicInteger();

        Kind(long now) {
            this.due = new AtomicLong(now);
        }

        /** How many events were skipped since the last line, if the next one is due; else {@link #QUIET}. */
        int next(long now) {
            long at = due.get();
            if (now - at < 0 || !due.compareAndSet(at, now + QUIET_NANOS)) {
                passedOver.incrementAndGet();
                return QUIET;
            }
            return passedOver.getAndSet(0);
        }
    }

    private void say(String kind, Supplier<String> line) {
        long now = nanoTime.getAsLong();
        int before = kinds.computeIfAbsent(kind, name -> new Kind(now)).next(now);
        if (before != Kind.QUIET) {
            log.accept(line.get() + (before == 0 ? "" : " (" + before + " more since the last such line)"));
        }
    }

    private void say(String kind, DedupKey key, Function<SettingNames, String> line) {
        say(kind + key.scope().topic(), () -> "Message ID " + key + line.apply(names(key)));
    }

    private SettingNames names(DedupKey key) {
        return topics.policy(key.scope().topic()).settingNames();
    }

    @Override
    public void storeError(String operation, DedupStoreException error) {
        say(
                "store " + operation,
                () -> "consumer " + consumer + ", store " + store + ": "
                        + Printable.sentence(
                                topics.defaults().settingNames().text(String.valueOf(error.getMessage()))));
    }

    @Override
    public void missingId(DedupTopic topic, String origin, String problem) {
        say(
                "missing ID " + topic.scope().topic(),
                () -> String.valueOf(
                        new MissingMessageIdException(topic.scope().consumer(), topic.policy(), origin, problem)
                                .getMessage()));
    }

    @Override
    public void conflict(DedupKey key, OnConflict policy) {
        say("conflict ", key, names -> " was seen with another payload: " + names.conflict(policy));
    }

    @Override
    public void poison(DedupKey key, int deaths) {
        say(
                "poison ",
                key,
                names -> " was rejected: the leases of " + deaths + " earlier runs ran out, because the process crashed"
                        + " or the handler took longer than " + names.name("maxProcessingTime") + ". "
                        + names.path("maxDeaths") + " sets how many such runs are allowed");
    }

    @Override
    public void unguarded(@Nullable DedupKey key, DedupTopic topic) {
        SettingNames names = topic.policy().settingNames();
        say(
                "unguarded " + topic.scope().topic(),
                () -> (key == null ? "A message of " + topic.scope() : "Message ID " + key)
                        + " is handled without deduplication, because " + names.name("onStoreFailure") + ", "
                        + names.name("onMissingId") + " or " + names.name("onConflict") + " of its topic is "
                        + names.value(OnMissingId.PROCESS));
    }

    @Override
    public void leaseLost(DedupKey key) {
        say(
                "lease lost ",
                key,
                names ->
                        " lost its lease while its handler was running, so another consumer may handle it too. Its handler"
                                + " has run longer than " + names.name("maxProcessingTime")
                                + " (then a line before this one says"
                                + " so), or the store or this process did not respond for longer than the lease: find the cause, or"
                                + " set a longer " + names.path("lease"));
    }

    @Override
    public void maxProcessingTimeExceeded(DedupKey key) {
        say(
                "too long ",
                key,
                names -> ": its handler has run longer than " + names.name("maxProcessingTime")
                        + ". Its lease is no longer renewed, so another consumer may handle it too. Limit what the handler"
                        + " waits for, or set a longer " + names.path("maxProcessingTime"));
    }

    @Override
    public void completionDropped(DedupKey key) {
        say(
                "dropped ",
                key,
                names -> ": its handler succeeded, but this could not be recorded; if redelivered, the message may be"
                        + " handled again. The store was down for too long, or another consumer took over the"
                        + " claim");
    }
}
