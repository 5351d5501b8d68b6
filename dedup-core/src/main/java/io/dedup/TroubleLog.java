package io.dedup;

import io.dedup.internal.Printable;
import io.dedup.store.DedupStoreException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Says what somebody should know of who has no {@link DedupListener}: a store that fails, messages that run without protection
 * or never will, handlers that another may run beside. Of each kind and topic one line in ten seconds, which tells how many it
 * stands for, since what goes wrong goes wrong for each message. Thread-safe.
 */
final class TroubleLog implements DedupListener {
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final String consumer;
    private final String store;
    private final LongSupplier nanoTime;
    private final Consumer<String> log;
    private final Map<String, Kind> kinds = new ConcurrentHashMap<>();

    /** @param log gets the lines */
    TroubleLog(String consumer, String store, LongSupplier nanoTime, Consumer<String> log) {
        this.consumer = consumer;
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

    private void say(String kind, DedupKey key, String line) {
        say(kind + key.scope().topic(), () -> "message ID " + key + ": " + line);
    }

    @Override
    public void storeError(String operation, DedupStoreException error) {
        say(
                "store " + operation,
                () -> "consumer " + consumer + ", store " + store + ": "
                        + Printable.sentence(String.valueOf(error.getMessage())));
    }

    @Override
    public void missingId(DedupTopic topic, String origin, String problem) {
        say(
                "missing ID " + topic.scope().topic(),
                () -> new MissingMessageIdException(topic.scope(), origin, problem).getMessage() + ". Now it is "
                        + topic.policy().onMissingId());
    }

    @Override
    public void conflict(DedupKey key, OnConflict policy) {
        say(
                "conflict ",
                key,
                "it was seen with another payload. The producer reuses IDs, or the ID extractor of this topic picks a"
                        + " field that isn't unique; onConflict decides what happens, and is " + policy);
    }

    @Override
    public void poison(DedupKey key, int deaths) {
        say(
                "poison ",
                key,
                "rejected, since " + deaths
                        + " earlier runs ended with their lease running out; maxDeaths sets how many" + " are allowed");
    }

    @Override
    public void unguarded(@Nullable DedupKey key, DedupTopic topic) {
        say(
                "unguarded " + topic.scope().topic(),
                () -> (key == null ? "a message of " + topic.scope() : "message ID " + key)
                        + ": runs without protection against duplicates, since onStoreFailure, onMissingId or onConflict of"
                        + " its topic says PROCESS");
    }

    @Override
    public void leaseLost(DedupKey key) {
        say(
                "lease lost ",
                key,
                "its lease is lost while its handler runs, and another consumer may run it, too. The store or this process"
                        + " stood still for longer than the lease: set a longer lease, or find what stops them");
    }

    @Override
    public void maxProcessingTimeExceeded(DedupKey key) {
        say(
                "too long ",
                key,
                "its handler runs longer than maxProcessingTime. Its claim isn't kept any longer, and another consumer may"
                        + " run it, too: set a longer maxProcessingTime, or bound what the handler waits for");
    }

    @Override
    public void completionDropped(DedupKey key) {
        say(
                "dropped ",
                key,
                "its handler has succeeded, and that will never be recorded: when it is delivered again it may run again."
                        + " The store was down for too long, or its lease went to somebody else");
    }
}
