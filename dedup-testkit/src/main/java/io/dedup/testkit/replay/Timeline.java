package io.dedup.testkit.replay;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.DedupScope;
import io.dedup.DedupTopic;
import io.dedup.duplicate.DuplicateDetails;
import io.dedup.policy.OnConflict;
import io.dedup.report.DuplicationReport;
import io.dedup.report.DuplicationReports;
import io.dedup.text.Printable;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Records what happened to each message, when and on which thread. Register it as a listener of the deduplicator; with
 * Spring Boot, declaring a bean of this type is enough. Thread-safe.
 *
 * <p>A timeline can listen to several deduplicators, including those of several application instances in one JVM, but
 * not to other processes.
 */
public final class Timeline implements DedupListener {
    /** The kinds of events. */
    public enum Kind {
        /** A replay sent a copy. */
        SENT_AGAIN,
        /** A replay rewound the group to before the message. */
        REWOUND,
        /** The message was delivered to a listener; only recorded if the broker's listener is watched. */
        DELIVERED,
        /** The message was claimed, and its handler is about to run. */
        CLAIMED,
        /** The handler succeeded, and its success is recorded. */
        COMPLETED,
        /** The handler succeeded; its success will be recorded in the background. */
        COMPLETION_PENDING,
        /** The handler succeeded, but its success will never be recorded. */
        COMPLETION_DROPPED,
        /** The message was recognized as a duplicate and not handled. */
        DUPLICATE,
        /** The message was deferred: it will be redelivered. */
        DEFERRED,
        /** The claim was released: the handler failed, or didn't run. */
        RELEASED,
        /** The claim was lost while the handler was running: another consumer may handle the message. */
        LEASE_LOST,
        /** The handler ran without a claim, because a policy allows it. */
        UNGUARDED,
        /** The deduplicator found no usable ID in a message. */
        MISSING_ID,
        /** The message's ID was seen with another payload. */
        CONFLICT,
        /** The message was rejected because its handler had crashed the process too often. */
        POISON,
        /** The broker was observed to have the message acknowledged. */
        ACKED,
        /** A listener reported a failure; only recorded if the broker's listener is watched. */
        FAILED;

        /** A handler ran, or was about to. */
        private static final Set<Kind> RUNS =
                Set.of(CLAIMED, COMPLETED, COMPLETION_PENDING, COMPLETION_DROPPED, RELEASED, LEASE_LOST, UNGUARDED);

        private static final Set<Kind> OBSERVED = Set.of(SENT_AGAIN, REWOUND, DELIVERED, ACKED, FAILED);

        /** Whether a deduplicator has reported this; the others are observed at the broker, or made by the replay. */
        boolean isReported() {
            return !OBSERVED.contains(this);
        }
    }

    /**
     * One event.
     *
     * @param by the thread on which it happened, or the group or tool that was observed
     */
    public record Event(Instant at, Kind kind, String detail, String by) {}

    /** @param id as stored; null for messages without a usable one */
    private record Name(
            String consumer, String topic, @Nullable String id) {}

    private record Source(String consumer, String topic) {}

    /** The limit per message: enough for a message that is deferred for minutes, but not for days. */
    private static final int MAX_EVENTS = 10_000;

    private final Map<Name, List<Event>> events = new ConcurrentHashMap<>();
    /** The scope of what was heard last: it knows whether IDs are hashed. */
    private final Map<Source, DedupScope> heard = new ConcurrentHashMap<>();

    private volatile DuplicationReports reports = new DuplicationReports();
    private volatile Instant began = Instant.now();

    /** Creates an empty timeline. */
    public Timeline() {}

    /** Removes all events. */
    public void clear() {
        events.clear();
        heard.clear();
        reports = new DuplicationReports();
        began = Instant.now();
    }

    /** The time since which events are recorded: of the creation, or of the last {@link #clear()}. */
    Instant began() {
        return began;
    }

    /** Whether a handler has run for any message of a consumer and topic. */
    boolean hasRun(String consumer, String topic) {
        return events.keySet().stream()
                .filter(name -> name.consumer().equals(consumer) && name.topic().equals(topic))
                .anyMatch(name -> of(name).stream().anyMatch(event -> Kind.RUNS.contains(event.kind())));
    }

    /**
     * Returns how many duplicates there were, and why, of all messages since the start, for people to read by
     * {@link DuplicationReport#text()}.
     */
    public DuplicationReport duplicates() {
        return reports.report(DuplicationReports.HOURS);
    }

    /**
     * Returns what happened to a message, oldest first.
     *
     * @param consumer the consumer name; by default that of the group
     * @param id the message ID as it is in the message
     */
    public List<Event> events(String consumer, String topic, String id) {
        String plain = DedupKey.stored(id);
        List<Event> noted = of(new Name(consumer, topic, plain));
        String stored = stored(consumer, topic, id);
        if (stored.equals(plain)) {
            return noted;
        }
        // IDs are hashed: what was observed at the broker has the plain ID, what a deduplicator reported has the hash.
        List<Event> all = new ArrayList<>(noted);
        all.addAll(of(new Name(consumer, topic, stored)));
        all.sort(Comparator.comparing(Event::at));
        return List.copyOf(all);
    }

    private String stored(String consumer, String topic, String id) {
        DedupScope scope = heard.get(new Source(consumer, topic));
        return scope == null ? DedupKey.stored(id) : scope.key(id).messageId();
    }

    /** What happened to messages in which the deduplicator found no usable ID, oldest first. */
    List<Event> eventsWithoutId(String consumer, String topic) {
        return of(new Name(consumer, topic, null));
    }

    private List<Event> of(Name name) {
        List<Event> found = events.get(name);
        if (found == null) {
            return List.of();
        }
        synchronized (found) {
            return List.copyOf(found);
        }
    }

    /**
     * How far the messages of a consumer and topic are.
     *
     * @param events how many there are so far
     * @param runs whether a handler is running or may still take effect, as far as known
     */
    record Progress(int events, boolean runs) {}

    /** @param effects how often each message took effect; null if that isn't counted */
    Progress progress(String consumer, String topic, @Nullable Map<String, Integer> effects) {
        Map<String, Integer> byStoredId = new HashMap<>();
        if (effects != null) {
            effects.forEach((id, times) -> byStoredId.put(stored(consumer, topic, id), times));
        }
        int count = 0;
        boolean runs = false;
        for (Name name : events.keySet()) {
            if (name.consumer().equals(consumer) && name.topic().equals(topic)) {
                List<Event> found = of(name);
                count += found.size();
                int times = effects == null ? Integer.MAX_VALUE : byStoredId.getOrDefault(name.id(), 0);
                runs |= Runs.anyOpen(found, times);
            }
        }
        return new Progress(count, runs);
    }

    /** Whether a deduplicator has reported anything about a consumer and topic. */
    boolean hasHeardOf(String consumer, String topic) {
        return heard.containsKey(new Source(consumer, topic));
    }

    /** Adds an event that was observed at the broker. */
    public void note(String consumer, String topic, String id, Kind kind, String detail, String by) {
        add(new Name(consumer, topic, DedupKey.stored(id)), kind, detail, by);
    }

    private void note(@Nullable DedupKey key, Kind kind, String detail) {
        if (key != null) {
            heard.put(new Source(key.scope().consumer(), key.scope().topic()), key.scope());
            note(key.scope(), key.messageId(), kind, detail);
        }
    }

    private void note(DedupScope scope, @Nullable String id, Kind kind, String detail) {
        add(
                new Name(scope.consumer(), scope.topic(), id),
                kind,
                detail,
                Thread.currentThread().getName());
    }

    private void add(Name name, Kind kind, String detail, String by) {
        List<Event> list = events.computeIfAbsent(name, any -> new ArrayList<>());
        synchronized (list) {
            if (list.size() < MAX_EVENTS || kind != Kind.DEFERRED) { // deferrals may repeat without end
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
        note(key, Kind.DUPLICATE, "done at " + completedAt);
    }

    @Override
    public void copyInBatch(DedupKey key) {
        note(key, Kind.DUPLICATE, "copy in the same batch");
    }

    @Override
    public void explained(DedupKey key, DuplicateDetails details) {
        reports.explained(key, details);
    }

    @Override
    public void missingId(DedupTopic topic, String origin, String problem) {
        reports.missingId(topic, origin, problem);
        note(topic.scope(), null, Kind.MISSING_ID, origin + ": " + problem);
    }

    @Override
    public void deferred(@Nullable DedupKey key, DeferReason reason, Duration retryAfter) {
        reports.deferred(key, reason, retryAfter);
        note(key, Kind.DEFERRED, reason.toString());
    }

    @Override
    public void conflict(DedupKey key, OnConflict policy) {
        reports.conflict(key, policy);
        note(key, Kind.CONFLICT, "policy " + policy);
    }

    @Override
    public void tookOver(DedupKey key) {
        reports.tookOver(key);
    }

    @Override
    public void poison(DedupKey key, int deaths) {
        reports.poison(key, deaths);
        note(key, Kind.POISON, deaths + " deaths");
    }

    @Override
    public void unguarded(@Nullable DedupKey key, DedupTopic topic) {
        if (key == null) {
            note(topic.scope(), null, Kind.UNGUARDED, "a message without a usable ID");
        } else {
            note(key, Kind.UNGUARDED, "");
        }
    }

    @Override
    public void completed(DedupKey key, Duration handlerTime) {
        reports.completed(key, handlerTime);
        note(key, Kind.COMPLETED, "handler took " + handlerTime.toMillis() + " ms");
    }

    @Override
    public void completionPending(DedupKey key) {
        note(key, Kind.COMPLETION_PENDING, "the store did not answer; recorded in the background");
    }

    @Override
    public void completionDropped(DedupKey key) {
        note(key, Kind.COMPLETION_DROPPED, "it will never be recorded");
    }

    @Override
    public void released(DedupKey key, @Nullable Throwable cause) {
        reports.released(key, cause);
        note(key, Kind.RELEASED, cause == null ? "not run" : Printable.ofException(cause));
    }

    @Override
    public void leaseLost(DedupKey key) {
        note(key, Kind.LEASE_LOST, "another consumer may handle it");
    }
}
