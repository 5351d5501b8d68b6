package io.dedup.testkit.replay;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.DedupScope;
import io.dedup.DedupTopic;
import io.dedup.policy.OnConflict;
import io.dedup.text.Printable;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Remembers what happened to each message, when and on which thread. Give it to the deduplicator as a listener; with
 * Spring Boot, any bean of this type is one. Thread-safe.
 *
 * <p>One may listen to several deduplicators, also to those of several application instances in one JVM. What other
 * processes do it doesn't hear.
 */
public final class Timeline implements DedupListener {
    /** What happened. */
    public enum Kind {
        /** A replay sent a copy. */
        SENT_AGAIN,
        /** A replay made the group read it again. */
        REWOUND,
        /** A listener was given it; only where a broker's listener is watched. */
        DELIVERED,
        /** The handler is about to run. */
        CLAIMED,
        /** The handler's success is recorded. */
        COMPLETED,
        /** The handler succeeded; the record follows in the background. */
        COMPLETION_PENDING,
        /** The handler succeeded, and that will never be recorded. */
        COMPLETION_DROPPED,
        DUPLICATE,
        DEFERRED,
        /** The claim was given up: the handler failed, or never ran. */
        RELEASED,
        LEASE_LOST,
        /** The handler ran without a claim, by policy. */
        UNGUARDED,
        CONFLICT,
        POISON,
        /** The broker was seen to have it acked. */
        ACKED,
        /** A listener answered that it failed; only where a broker's listener is watched. */
        FAILED
    }

    /**
     * One thing that happened.
     *
     * @param by the thread it happened on, or who was seen doing it
     */
    public record Event(Instant at, Kind kind, String detail, String by) {}

    private record Name(String consumer, String topic, String id) {}

    private record Source(String consumer, String topic) {}

    /** Per message; enough for a message that is deferred for minutes, and not for one that is for days. */
    private static final int MAX_EVENTS = 10_000;

    private final Map<Name, List<Event>> events = new ConcurrentHashMap<>();
    private final Set<Source> heard = ConcurrentHashMap.newKeySet();

    /** An empty one. */
    public Timeline() {}

    /** Forgets everything. */
    public void clear() {
        events.clear();
        heard.clear();
    }

    /**
     * What happened to a message, oldest first.
     *
     * @param consumer the consumer name, by default the group
     * @param id as it came in the message
     */
    public List<Event> events(String consumer, String topic, String id) {
        List<Event> found = events.get(new Name(consumer, topic, stored(id)));
        if (found == null) {
            return List.of();
        }
        synchronized (found) {
            return List.copyOf(found);
        }
    }

    /** Whether a deduplicator has told anything of a consumer. */
    boolean hasHeardOf(String consumer, String topic) {
        return heard.contains(new Source(consumer, topic));
    }

    /** Adds what a broker was seen doing. */
    public void note(String consumer, String topic, String id, Kind kind, String detail, String by) {
        add(new Name(consumer, topic, stored(id)), kind, detail, by);
    }

    /** IDs are looked up as the framework keeps them: long ones as their hash. */
    static String stored(String id) {
        return DedupKey.of(DedupScope.of("any", "any"), id).messageId();
    }

    private void note(@Nullable DedupKey key, Kind kind, String detail) {
        if (key != null) {
            heard.add(new Source(key.scope().consumer(), key.scope().topic()));
            add(
                    new Name(key.scope().consumer(), key.scope().topic(), key.messageId()),
                    kind,
                    detail,
                    Thread.currentThread().getName());
        }
    }

    private void add(Name name, Kind kind, String detail, String by) {
        List<Event> list = events.computeIfAbsent(name, any -> new ArrayList<>());
        synchronized (list) {
            if (list.size() < MAX_EVENTS
                    || kind != Kind.DEFERRED) { // what comes without end, and says the same each time
                list.add(new Event(Instant.now(), kind, detail, by));
            }
        }
    }

    @Override
    public void acquired(DedupKey key, int attempt) {
        note(key, Kind.CLAIMED, "attempt " + attempt);
    }

    @Override
    public void duplicate(DedupKey key, Instant completedAt, @Nullable String firstRun) {
        note(key, Kind.DUPLICATE, "done since " + completedAt);
    }

    @Override
    public void copyInBatch(DedupKey key) {
        note(key, Kind.DUPLICATE, "copy in one batch");
    }

    @Override
    public void deferred(@Nullable DedupKey key, DeferReason reason, Duration retryAfter) {
        note(key, Kind.DEFERRED, reason.toString());
    }

    @Override
    public void conflict(DedupKey key, OnConflict policy) {
        note(key, Kind.CONFLICT, "policy " + policy);
    }

    @Override
    public void poison(DedupKey key, int deaths) {
        note(key, Kind.POISON, deaths + " deaths");
    }

    @Override
    public void unguarded(@Nullable DedupKey key, DedupTopic topic) {
        note(key, Kind.UNGUARDED, "");
    }

    @Override
    public void completed(DedupKey key, Duration handlerTime) {
        note(key, Kind.COMPLETED, "handler took " + handlerTime.toMillis() + " ms");
    }

    @Override
    public void completionPending(DedupKey key) {
        note(key, Kind.COMPLETION_PENDING, "the store couldn't be told");
    }

    @Override
    public void completionDropped(DedupKey key) {
        note(key, Kind.COMPLETION_DROPPED, "the store can't be told any more");
    }

    @Override
    public void released(DedupKey key, @Nullable Throwable cause) {
        note(key, Kind.RELEASED, cause == null ? "never ran" : Printable.ofException(cause));
    }

    @Override
    public void leaseLost(DedupKey key) {
        note(key, Kind.LEASE_LOST, "somebody else may run it");
    }
}
