package io.dedup.kafka.internal.share;

import io.dedup.kafka.exception.DeliveryDeferredException;
import io.dedup.kafka.internal.Partitions;
import io.dedup.kafka.internal.spring.PollResults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The records whose locks a share consumer holds: passed to the listener or deferred, and not acknowledged yet. Times
 * are those of {@link System#nanoTime()}. Not thread-safe.
 */
final class HeldRecords<K, V> {
    private record Place(String topic, int partition, long offset) {
        static Place of(ConsumerRecord<?, ?> record) {
            return new Place(record.topic(), record.partition(), record.offset());
        }
    }

    private static final class Held<K, V> {
        private final ConsumerRecord<K, V> record;
        private @Nullable Long retryAt;
        private @Nullable Long handledUntil;
        private @Nullable DeliveryDeferredException deferral;

        private Held(ConsumerRecord<K, V> record) {
            this.record = record;
        }
    }

    private final Map<Place, Held<K, V>> held = new LinkedHashMap<>();
    private final Set<Place> lost = new HashSet<>();

    boolean isEmpty() {
        return held.isEmpty();
    }

    List<ConsumerRecord<K, V>> all() {
        return held.values().stream().map(each -> each.record).toList();
    }

    /** The client has returned these records. */
    void received(Iterable<ConsumerRecord<K, V>> records) {
        for (ConsumerRecord<K, V> record : records) {
            Place place = Place.of(record);
            lost.remove(place);
            held.put(place, new Held<>(record));
        }
    }

    /** The record's handler runs, for at most this long. */
    void handling(ConsumerRecord<?, ?> record, long now, Duration atMost) {
        Held<K, V> found = held.get(Place.of(record));
        if (found != null) {
            found.handledUntil = now + atMost.toNanos();
        }
    }

    /** Whether a handler has run longer than allowed. */
    boolean anyOverdue(long now) {
        return held.values().stream().anyMatch(each -> each.handledUntil != null && now - each.handledUntil > 0);
    }

    /** Passes the record to the listener again after this delay. */
    void defer(ConsumerRecord<?, ?> record, long now, DeliveryDeferredException deferral) {
        Held<K, V> found = held.get(Place.of(record));
        if (found != null) {
            found.handledUntil = null;
            found.retryAt = now + deferral.retryAfter().toNanos();
            found.deferral = deferral;
        }
    }

    /** Passes the record, which the listener hasn't got yet, to it next. */
    void due(ConsumerRecord<?, ?> record, long now) {
        Held<K, V> found = held.get(Place.of(record));
        if (found != null) {
            found.retryAt = now;
        }
    }

    /** Returns why the record is deferred; null if it isn't. */
    @Nullable
    DeliveryDeferredException deferral(ConsumerRecord<?, ?> record) {
        Held<K, V> found = held.get(Place.of(record));
        return found == null || found.retryAt == null ? null : found.deferral;
    }

    boolean isDeferred(ConsumerRecord<?, ?> record) {
        Held<K, V> found = held.get(Place.of(record));
        return found != null && found.retryAt != null;
    }

    boolean wasDeferred(ConsumerRecord<?, ?> record) {
        Held<K, V> found = held.get(Place.of(record));
        return found != null && found.deferral != null;
    }

    boolean anyNotDeferred() {
        return held.values().stream().anyMatch(each -> each.retryAt == null);
    }

    /**
     * Nanoseconds until a deferred record is due; zero or less if one is, {@link Long#MAX_VALUE} if none is deferred.
     */
    long untilNextDue(long now) {
        return held.values().stream()
                .mapToLong(each -> each.retryAt == null ? Long.MAX_VALUE : each.retryAt - now)
                .min()
                .orElse(Long.MAX_VALUE);
    }

    /** Returns the deferred records that are due; from now on they count as passed to the listener. */
    ConsumerRecords<K, V> takeDue(long now) {
        Map<TopicPartition, List<ConsumerRecord<K, V>>> due = new HashMap<>();
        for (Held<K, V> each : held.values()) {
            if (each.retryAt != null && each.retryAt - now <= 0) {
                each.retryAt = null;
                due.computeIfAbsent(Partitions.of(each.record), partition -> new ArrayList<>())
                        .add(each.record);
            }
        }
        return PollResults.of(due);
    }

    /**
     * The record is acknowledged for good. Returns false if its lock is lost, so that the acknowledgment has no effect.
     */
    boolean acknowledged(ConsumerRecord<?, ?> record) {
        Place place = Place.of(record);
        held.remove(place);
        return !lost.remove(place);
    }

    boolean isLost(ConsumerRecord<?, ?> record) {
        return lost.contains(Place.of(record));
    }

    /**
     * Called after an attempt to renew all locks. Returns the additional records that the client returned, and how many
     * locks are lost.
     */
    Renewal<K, V> renewed(Iterable<ConsumerRecord<K, V>> back) {
        Set<Place> kept = new HashSet<>();
        List<ConsumerRecord<K, V>> others = new ArrayList<>();
        for (ConsumerRecord<K, V> record : back) {
            if (held.containsKey(Place.of(record))) {
                kept.add(Place.of(record));
            } else {
                others.add(record);
            }
        }
        int before = held.size();
        held.keySet().removeIf(place -> !kept.contains(place) && lost.add(place));
        return new Renewal<>(others, before - held.size());
    }

    record Renewal<K, V>(List<ConsumerRecord<K, V>> others, int lost) {}

    /** Nothing that was returned before is open any more. */
    void forgetLost() {
        lost.clear();
    }
}
