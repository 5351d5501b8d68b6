package io.dedup.kafka;

import io.dedup.DedupKey;
import io.dedup.engine.Delivery;
import io.dedup.engine.Execution;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.support.Acknowledgment;

/**
 * What one consumer was given in a manual ack mode and hasn't finished.
 *
 * <p>An ack commits everything below it in its partition. So the container's own ack of a record is held back while
 * something below it is unfinished that the handler doesn't know of: a copy that waits for its first to be acknowledged,
 * or a record that was acknowledged by another thread whose completion is still on its way to the store. And our own
 * ack of a duplicate is held back while the handler hasn't acknowledged what is below it.
 *
 * <p>Thread-safe: acknowledgments may come from any thread. Nothing is called under the lock.
 */
final class PendingDeliveries {
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<TopicPartition, NavigableMap<Long, Entry>> positions = new HashMap<>();
    private final Map<DedupKey, Entry> firsts = new HashMap<>();

    /** What becomes of one position. */
    enum State {
        /** The handler has it and hasn't acknowledged it. */
        GIVEN,
        /** A copy of one that the handler has. */
        FOLLOWING,
        /** Acknowledged; the store is being told. */
        CLOSING,
        FINISHED
    }

    /** One position of a partition. Its fields are read and written under the lock. */
    static final class Entry {
        private final TopicPartition partition;
        private final long offset;
        private final @Nullable Delivery delivery;
        private final @Nullable Execution execution;
        private final List<Entry> followers = new ArrayList<>(0);
        private final List<Release> releases = new ArrayList<>(1);
        private State state;

        private Entry(
                ConsumerRecord<?, ?> record, State state, @Nullable Delivery delivery, @Nullable Execution execution) {
            this.partition = partitionOf(record);
            this.offset = record.offset();
            this.state = state;
            this.delivery = delivery;
            this.execution = execution;
        }
    }

    /** An ack of the container: sent once, when it is asked for and all positions that it covers are finished. */
    static final class Release {
        private final Runnable ack;
        private final @Nullable ConsumerRecord<?, ?> record;
        private int unfinished;
        private boolean requested;
        private boolean sent;

        private Release(Runnable ack, @Nullable ConsumerRecord<?, ?> record) {
            this.ack = ack;
            this.record = record;
        }

        /** The ack of one record. */
        static Release of(ConsumerRecord<?, ?> record, Acknowledgment acknowledgment) {
            return new Release(acknowledgment::acknowledge, record);
        }

        /** The ack of a whole poll. */
        static Release ofBatch(Acknowledgment acknowledgment) {
            return new Release(acknowledgment::acknowledge, null);
        }
    }

    static TopicPartition partitionOf(ConsumerRecord<?, ?> record) {
        return new TopicPartition(record.topic(), record.partition());
    }

    /** The entry that this delivery is a copy of, because the handler has the same message; else null. */
    @Nullable
    Entry firstOf(Delivery delivery) {
        DedupKey key = delivery.key();
        if (key == null || delivery.topic().policy().shadow()) {
            return null;
        }
        lock.lock();
        try {
            Entry first = firsts.get(key);
            // Whose lease is lost may have been taken over: the store decides then. So it does about other payloads.
            return first == null || first.execution == null || first.execution.leaseLost() || differ(first, delivery)
                    ? null
                    : first;
        } finally {
            lock.unlock();
        }
    }

    private static boolean differ(Entry first, Delivery delivery) {
        return first.delivery != null
                && first.delivery.fingerprint() != null
                && delivery.fingerprint() != null
                && !first.delivery.fingerprint().equals(delivery.fingerprint());
    }

    /** The handler is about to get this record. */
    Entry given(ConsumerRecord<?, ?> record, Delivery delivery, Execution execution, @Nullable Release release) {
        Entry entry = new Entry(record, State.GIVEN, delivery, execution);
        Execution superseded = null;
        lock.lock();
        try {
            Entry before = at(entry.partition).put(entry.offset, entry);
            if (before != null) { // given before, and its lease was lost since
                entry.followers.addAll(before.followers);
                entry.releases.addAll(before.releases);
                superseded = before.state == State.GIVEN ? before.execution : null;
                forgetFirst(before);
            }
            attach(entry, release);
            if (delivery.key() != null && execution.guarded()) {
                firsts.put(delivery.key(), entry);
            }
        } finally {
            lock.unlock();
        }
        if (superseded != null) {
            superseded.abandon();
        }
        return entry;
    }

    /** This record is a copy of one that the handler has; finished when that one is. */
    void following(Entry first, ConsumerRecord<?, ?> record, @Nullable Release release) {
        Entry copy = new Entry(record, State.FOLLOWING, null, null);
        lock.lock();
        try {
            Entry there = at(copy.partition).putIfAbsent(copy.offset, copy);
            attach(there == null ? copy : there, release);
            if (there == null && (first.state == State.GIVEN || first.state == State.CLOSING)) {
                first.followers.add(copy);
            } else if (there == null) {
                copy.state = State.FINISHED;
            }
        } finally {
            lock.unlock();
        }
    }

    /** This record needs no handling. */
    void finished(ConsumerRecord<?, ?> record, @Nullable Release release) {
        Entry entry = new Entry(record, State.FINISHED, null, null);
        lock.lock();
        try {
            Entry there = at(entry.partition).putIfAbsent(entry.offset, entry);
            attach(there == null ? entry : there, release);
        } finally {
            lock.unlock();
        }
    }

    /** Asks for the container's ack, if there is one, now or as soon as everything below is finished. */
    void request(@Nullable Release release) {
        List<Release> toSend = new ArrayList<>(1);
        lock.lock();
        try {
            if (release != null) {
                release.requested = true;
                collect(release, toSend);
            }
            positions.keySet().forEach(partition -> drain(partition, toSend));
        } finally {
            lock.unlock();
        }
        send(toSend);
    }

    /**
     * Begins to close what the handler has up to these offsets; the caller completes the executions, then calls
     * {@link #closed}.
     *
     * @param release the container's ack that is asked for with this, if any
     */
    List<Entry> close(Map<TopicPartition, Long> upTo, @Nullable Release release) {
        List<Entry> closing = new ArrayList<>();
        lock.lock();
        try {
            if (release != null) {
                release.requested = true; // before anything is sent: acks go out in the order of their offsets
            }
            upTo.forEach((partition, offset) -> {
                for (Entry entry : at(partition).headMap(offset, true).values()) {
                    if (entry.state == State.GIVEN) {
                        entry.state = State.CLOSING;
                        closing.add(entry);
                    }
                }
            });
        } finally {
            lock.unlock();
        }
        return closing;
    }

    static List<Execution> executions(Collection<Entry> entries) {
        List<Execution> executions = new ArrayList<>(entries.size());
        for (Entry entry : entries) {
            if (entry.execution != null) {
                executions.add(entry.execution);
            }
        }
        return executions;
    }

    void closed(List<Entry> closing, @Nullable Release release) {
        List<Release> toSend = new ArrayList<>(1);
        lock.lock();
        try {
            for (Entry entry : closing) {
                entry.state = State.FINISHED;
                forgetFirst(entry);
                for (Entry follower : entry.followers) {
                    follower.state = State.FINISHED;
                    drain(follower.partition, toSend);
                }
                drain(entry.partition, toSend);
            }
            if (release != null) {
                collect(release, toSend); // for one that was finished before
            }
        } finally {
            lock.unlock();
        }
        send(toSend);
    }

    /** The handler failed, or gave them back: forgets those that it hasn't acknowledged before, and returns them. */
    List<Entry> abort(Collection<Entry> entries) {
        List<Entry> aborted = new ArrayList<>(entries.size());
        List<Release> toSend = new ArrayList<>(0);
        lock.lock();
        try {
            for (Entry entry : entries) {
                if (entry.state == State.GIVEN) {
                    remove(entry);
                    aborted.add(entry);
                    entry.followers.forEach(this::remove);
                }
            }
            aborted.forEach(entry -> drain(entry.partition, toSend));
        } finally {
            lock.unlock();
        }
        send(toSend);
        return aborted;
    }

    /** Whether anything up to this record, in its partition, is unfinished: then its offset mustn't be committed. */
    boolean unfinishedUpTo(ConsumerRecord<?, ?> record) {
        lock.lock();
        try {
            NavigableMap<Long, Entry> open = positions.get(partitionOf(record));
            return open != null && !open.isEmpty() && open.firstKey() <= record.offset();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Forgets these partitions, or all with null: they are somebody else's now. Their claims are left alone, since
     * nobody knows whether the handler still works on them.
     *
     * @return copies in other partitions that waited for one of them, and must be fetched again
     */
    Map<TopicPartition, Long> forget(@Nullable Collection<TopicPartition> partitions) {
        Map<TopicPartition, Long> again = new HashMap<>();
        List<Entry> forgotten = new ArrayList<>();
        lock.lock();
        try {
            for (TopicPartition partition : partitions == null ? List.copyOf(positions.keySet()) : partitions) {
                NavigableMap<Long, Entry> open = positions.remove(partition);
                if (open != null) {
                    forgotten.addAll(open.values());
                }
            }
            for (Entry entry : forgotten) {
                forgetFirst(entry);
                for (Entry follower : entry.followers) {
                    if (follower.state == State.FOLLOWING && positions.containsKey(follower.partition)) {
                        remove(follower);
                        again.merge(follower.partition, follower.offset, Math::min);
                    }
                }
            }
        } finally {
            lock.unlock();
        }
        forgotten.stream().filter(entry -> entry.state == State.GIVEN).forEach(entry -> {
            if (entry.execution != null) {
                entry.execution.abandon();
            }
        });
        return again;
    }

    int size() {
        lock.lock();
        try {
            return positions.values().stream().mapToInt(Map::size).sum();
        } finally {
            lock.unlock();
        }
    }

    private NavigableMap<Long, Entry> at(TopicPartition partition) {
        return positions.computeIfAbsent(partition, created -> new TreeMap<>());
    }

    private static void attach(Entry entry, @Nullable Release release) {
        if (release != null && !entry.releases.contains(release)) {
            entry.releases.add(release);
            release.unfinished++;
        }
    }

    private void forgetFirst(Entry entry) {
        if (entry.delivery != null && entry.delivery.key() != null) {
            firsts.remove(entry.delivery.key(), entry);
        }
    }

    private void remove(Entry entry) {
        NavigableMap<Long, Entry> open = positions.get(entry.partition);
        if (open != null) {
            open.remove(entry.offset, entry);
        }
        forgetFirst(entry);
    }

    /** Forgets the finished ones at the partition's low end, and collects the acks that nothing holds back any more. */
    private void drain(TopicPartition partition, List<Release> toSend) {
        NavigableMap<Long, Entry> open = positions.get(partition);
        while (open != null && !open.isEmpty() && open.firstEntry().getValue().state == State.FINISHED) {
            for (Release release : open.pollFirstEntry().getValue().releases) {
                release.unfinished--;
                collect(release, toSend);
            }
        }
    }

    private static void collect(Release release, List<Release> toSend) {
        if (release.requested && release.unfinished == 0 && !release.sent) {
            release.sent = true;
            toSend.add(release);
        }
    }

    /**
     * Sends the last of each partition's records only, since it stands for those below. Two acks of one partition from
     * another thread can make the container lose the second commit: the wake-up of the first interrupts it.
     */
    private static void send(List<Release> toSend) {
        Map<TopicPartition, Release> last = new HashMap<>();
        for (Release release : toSend) {
            if (release.record != null) {
                last.put(partitionOf(release.record), release);
            }
        }
        for (Release release : toSend) {
            if (release.record == null || last.get(partitionOf(release.record)) == release) {
                release.ack.run();
            }
        }
    }
}
