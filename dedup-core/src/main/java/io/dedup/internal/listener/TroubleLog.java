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
 * Says what somebody should know of who has no {@link DedupListener}: a store that fails, messages that run without protection
 * or never will, handlers that another may run beside. Of each kind and topic one line in ten seconds, which tells how many it
 * stands for, since what goes wrong goes wrong for each message. Thread-safe.
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
     * A log.
     *
     * @param topics whose policies say how settings are named
     * @param log gets the lines
     */
    public TroubleLog(DedupTopics topics, String store, LongSupplier nanoTime, Consumer<String> log) {
        this.consumer = Printable.sentence(topics.consumer()); // may hold whatever a property file holds
        this.topics = topics;
        this.store = store;
        this.nanoTime = nanoTime;
        this.log = log;
    }

    /** When one kind may speak again, and how often it was passed over. Thread-safe. */
    private static final class Kind {
        private static final int QUIET = -1;

        private final AtomicLong due;
        private final AtomicInteger passedOver = new AtomicInteger();

        Kind(long now) {
            this.due = new AtomicLong(now);
        }

        /** How many were passed over since the last line, if it is time for one; else {@link #QUIET}. */
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
                () -> String.valueOf(new MissingMessageIdException(topic, origin, problem).getMessage()));
    }

    @Override
    public void conflict(DedupKey key, OnConflict policy) {
        say(
                "conflict ",
                key,
                names ->
                        " was seen with another payload: the producer reuses IDs, or the ID extractor of this topic picks a"
                                + " field that isn't unique. " + names.path("onConflict")
                                + " decides what happens, and is "
                                + names.value(policy));
    }

    @Override
    public void poison(DedupKey key, int deaths) {
        say(
                "poison ",
                key,
                names -> " is rejected: the leases of " + deaths + " earlier runs ran out. " + names.path("maxDeaths")
                        + " sets how many such runs are allowed");
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
                        " lost its lease while its handler was running, and another consumer may run it, too. The store or"
                                + " this process didn't respond for longer than the lease: set a longer "
                                + names.path("lease")
                                + ", or find what stopped them");
    }

    @Override
    public void maxProcessingTimeExceeded(DedupKey key) {
        say(
                "too long ",
                key,
                names -> ": its handler runs longer than " + names.name("maxProcessingTime")
                        + ". Its claim isn't renewed any longer, and another consumer may run it, too: set a longer "
                        + names.path("maxProcessingTime") + ", or bound what the handler waits for");
    }

    @Override
    public void completionDropped(DedupKey key) {
        say(
                "dropped ",
                key,
                names ->
                        ": its handler has succeeded, and that will never be recorded: when it is delivered again it may"
                                + " run again. The store was down for too long, or another consumer took its lease");
    }
}
