package io.dedup.report;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.DedupScope;
import io.dedup.DedupTopic;
import io.dedup.duplicate.DuplicateDetails;
import io.dedup.policy.OnConflict;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Counts what happens to the messages of this process, hour by hour, and reports it. Add it to
 * {@link io.dedup.engine.DeduplicatorBuilder#listener}; one can serve many deduplicators. Keeps the last 24 hours in bounded memory:
 * at most {@value #MAX_TOPICS} topics, and the messages with the most copies. Thread-safe.
 */
public final class DuplicationReports implements DedupListener {
    /** The number of hours that are kept, including the current one. */
    public static final int HOURS = 24;

    static final int MAX_TOPICS = 200;
    private static final String OTHERS = "(other topics)";

    private final InstantSource clock;
    private final Instant begun;
    private final AtomicReferenceArray<@Nullable Hour> hours = new AtomicReferenceArray<>(HOURS);

    /** Creates reports with the system's clock. */
    public DuplicationReports() {
        this(InstantSource.system());
    }

    /** @param clock says which hour it is */
    public DuplicationReports(InstantSource clock) {
        this.clock = clock;
        this.begun = clock.instant();
    }

    private record Topic(String consumer, String topic, boolean shadow) {}

    private static final class Counts {
        private final LongAdder handled = new LongAdder();
        private final LongAdder failed = new LongAdder();
        private final LongAdder deferred = new LongAdder();
        private final LongAdder rejected = new LongAdder();
        private final LongAdder deaths = new LongAdder();
        private final Map<String, LongAdder> duplicates = new ConcurrentHashMap<>();
        private final Map<Long, LongAdder> distances = new ConcurrentHashMap<>();

        TopicReport report(Topic of) {
            return new TopicReport(
                    of.consumer(),
                    of.topic(),
                    of.shadow(),
                    handled.sum(),
                    sums(duplicates),
                    failed.sum(),
                    deferred.sum(),
                    rejected.sum(),
                    deaths.sum(),
                    new Distances(sums(distances)));
        }

        private static <K extends Comparable<K>> Map<K, Long> sums(Map<K, LongAdder> adders) {
            Map<K, Long> sums = new TreeMap<>();
            adders.forEach((key, adder) -> sums.put(key, adder.sum()));
            return sums;
        }
    }

    private static final class Hour {
        private final Instant from;
        private final Map<Topic, Counts> topics = new ConcurrentHashMap<>();
        private final CopiedIds copied = new CopiedIds();

        Hour(Instant from) {
            this.from = from;
        }

        Counts of(DedupScope scope, boolean shadow) {
            Topic topic = new Topic(scope.consumer(), scope.topic(), shadow);
            Counts known = topics.get(topic);
            if (known != null) {
                return known;
            }
            Topic counted = topics.size() < MAX_TOPICS ? topic : new Topic(scope.consumer(), OTHERS, shadow);
            return topics.computeIfAbsent(counted, unused -> new Counts());
        }
    }

    private Hour hour(Instant now) {
        long number = now.getEpochSecond() / Duration.ofHours(1).toSeconds();
        int index = (int) Math.floorMod(number, (long) HOURS);
        Instant from = now.truncatedTo(ChronoUnit.HOURS);
        while (true) {
            Hour known = hours.get(index);
            if (known != null && !known.from.isBefore(from)) {
                return known;
            }
            Hour next = new Hour(from);
            if (hours.compareAndSet(index, known, next)) {
                return next;
            }
        }
    }

    private Counts counts(DedupKey key) {
        return hour(clock.instant()).of(key.scope(), false);
    }

    @Override
    public void completed(DedupKey key, Duration handlerTime) {
        counts(key).handled.increment();
    }

    @Override
    public void explained(DedupKey key, DuplicateDetails details) {
        Instant now = clock.instant();
        Hour hour = hour(now);
        Counts counts = hour.of(key.scope(), details.shadow());
        counts.duplicates
                .computeIfAbsent(details.cause().tag(), unused -> new LongAdder())
                .increment();
        Instant first = details.completedAt();
        long distance = first == null ? 0 : Duration.between(first, now).toMillis();
        counts.distances
                .computeIfAbsent(Distances.step(distance), unused -> new LongAdder())
                .increment();
        hour.copied.add(key, details, now);
    }

    @Override
    public void released(DedupKey key, @Nullable Throwable cause) {
        if (cause != null) {
            counts(key).failed.increment();
        }
    }

    @Override
    public void deferred(@Nullable DedupKey key, DeferReason reason, Duration retryAfter) {
        if (key != null) {
            counts(key).deferred.increment();
        }
    }

    @Override
    public void missingId(DedupTopic topic, String origin, String problem) {
        hour(clock.instant()).of(topic.scope(), false).rejected.increment();
    }

    @Override
    public void conflict(DedupKey key, OnConflict policy) {
        counts(key).rejected.increment();
    }

    @Override
    public void poison(DedupKey key, int deaths) {
        counts(key).rejected.increment();
    }

    @Override
    public void tookOver(DedupKey key) {
        counts(key).deaths.increment();
    }

    @Override
    public void erased(String storedId) {
        for (int i = 0; i < HOURS; i++) {
            Hour hour = hours.get(i);
            if (hour != null) {
                hour.copied.forget(storedId);
            }
        }
    }

    /**
     * Finds what this process has seen of a message's copies within the last {@link #HOURS} hours. Copies that arrived last are always
     * found; others if their message is among those with the most copies of their hour.
     *
     * @return null if it knows of none
     */
    public @Nullable CopiedMessage copies(DedupKey key) {
        Instant since = clock.instant().truncatedTo(ChronoUnit.HOURS).minus(HOURS - 1L, ChronoUnit.HOURS);
        CopiedMessage copies = null;
        for (int i = 0; i < HOURS; i++) {
            Hour hour = hours.get(i);
            CopiedMessage more = hour == null || hour.from.isBefore(since) ? null : hour.copied.find(key);
            if (more != null) {
                copies = copies == null ? more : copies.plus(more);
            }
        }
        return copies;
    }

    /** As {@link #report(int, int)}, with {@link DuplicationReport#MAX_COPIED} messages. */
    public DuplicationReport report(int last) {
        return report(last, DuplicationReport.MAX_COPIED);
    }

    /**
     * Reports the current hour and those before it.
     *
     * @param last how many hours, from 1 to {@link #HOURS}
     * @param limit how many messages to list at most, from 1 to {@link DuplicationReport#ALL_COPIED}
     */
    public DuplicationReport report(int last, int limit) {
        if (last < 1 || last > HOURS) {
            throw new IllegalArgumentException("hours must be from 1 to " + HOURS + ", but is " + last);
        }
        if (limit < 1 || limit > DuplicationReport.ALL_COPIED) {
            throw new IllegalArgumentException(
                    "limit must be from 1 to " + DuplicationReport.ALL_COPIED + ", but is " + limit);
        }
        Instant now = clock.instant();
        Instant since = now.truncatedTo(ChronoUnit.HOURS).minus(last - 1L, ChronoUnit.HOURS);
        List<DuplicationReport> reports = new ArrayList<>();
        reports.add(new DuplicationReport(since.isAfter(begun) ? since : begun, now, List.of(), List.of(), 0));
        for (int i = 0; i < HOURS; i++) {
            Hour hour = hours.get(i);
            if (hour != null && !hour.from.isBefore(since)) {
                List<TopicReport> topics = new ArrayList<>();
                hour.topics.forEach((topic, counts) -> topics.add(counts.report(topic)));
                reports.add(new DuplicationReport(now, now, topics, hour.copied.all(), hour.copied.unlisted()));
            }
        }
        return DuplicationReport.merged(reports, limit);
    }
}
