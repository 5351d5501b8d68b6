package io.dedup.simulation.share;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.common.errors.InvalidRecordStateException;
import org.jspecify.annotations.Nullable;

/**
 * The share partitions of one group on one broker. Records are acquired for the duration of a lock, by whole batches of the log; each
 * acquisition counts as a delivery, and what comes back from its last one is archived. As with Kafka's broker, an acknowledgment of
 * several records of a partition is executed as a whole or not at all, except its renewals, which stay, and those of records before
 * the first one that isn't over, which are ignored. A fetch waits until there is
 * something to acquire, also while its member doesn't poll. Used by one thread at a time.
 */
final class ShareBroker {
    /** How a delivery ended. */
    enum End {
        ACCEPTED,
        REJECTED,
        RELEASED,
        LOCK_TIMED_OUT,
        MEMBER_LEFT,
        DELETED
    }

    /** What others know about deliveries. */
    interface Observer {
        default void acquired(Stored record, String member) {}

        /** The record has the state that follows. */
        default void ended(Stored record, String member, End end) {}
    }

    /** A record. */
    static final class Stored {
        final int partition;
        final long offset;
        final int number;
        final String id;
        private final int batch;
        private boolean over;
        private boolean archived;
        private int deliveries;

        private @Nullable String holder;
        private long acquiredAt;
        private long lockedUntil;

        private Stored(int partition, long offset, int batch, int number, String id) {
            this.partition = partition;
            this.offset = offset;
            this.batch = batch;
            this.number = number;
            this.id = id;
        }

        int deliveries() {
            return deliveries;
        }

        long acquiredAt() {
            return acquiredAt;
        }

        boolean isOfTheSameBatch(@Nullable Stored other) {
            return other != null && other.partition == partition && other.batch == batch;
        }

        /** Given up: rejected, or not accepted in its last delivery. */
        boolean isArchived() {
            return archived;
        }

        private boolean isAvailable() {
            return !over && holder == null;
        }

        @Override
        public String toString() {
            return partition + "@" + offset + "=" + id + " (" + deliveries + ")";
        }
    }

    /** A record as it was acquired. */
    record Delivery(Stored record, short count) {}

    /** A member that waits for records. */
    interface Fetch {
        String member();

        /** The broker has acquired these records for it. */
        void answer(List<Delivery> acquired);
    }

    private final LongSupplier now;
    private final int limit;
    private final long lockNanos;
    private int most;
    private boolean wholeBatches;
    private final Observer observer;
    private final List<List<Stored>> partitions = new ArrayList<>();
    private final List<Long> starts = new ArrayList<>();
    private final Map<String, Fetch> fetches = new LinkedHashMap<>();
    private int batches;
    private int turn;

    /**
     * @param limit of deliveries
     * @param most so many records are acquired at once, {@code max.poll.records} of the consumers
     * @param wholeBatches whether the rest of a batch is acquired, too: {@code share.acquire.mode=batch_optimized}
     */
    ShareBroker(
            LongSupplier now,
            int partitions,
            int limit,
            long lockNanos,
            int most,
            boolean wholeBatches,
            Observer observer) {
        this.now = now;
        this.limit = limit;
        this.lockNanos = lockNanos;
        this.most = most;
        this.wholeBatches = wholeBatches;
        this.observer = observer;
        for (int i = 0; i < partitions; i++) {
            this.partitions.add(new ArrayList<>());
            starts.add(0L);
        }
    }

    int lockMillis() {
        return (int) (lockNanos / 1_000_000);
    }

    /** Appends a batch, which the broker acquires as a whole. Returns the first offset. */
    long append(int partition, Map<Integer, String> idsByNumber) {
        List<Stored> log = partitions.get(partition);
        long first = log.size();
        batches++;
        idsByNumber.forEach((number, id) -> log.add(new Stored(partition, log.size(), batches, number, id)));
        serve();
        return first;
    }

    /** What is neither accepted nor archived. */
    List<Stored> left() {
        return partitions.stream()
                .flatMap(List::stream)
                .filter(record -> !record.over)
                .toList();
    }

    /** The member fetches, once. */
    void fetch(Fetch fetch) {
        fetches.putIfAbsent(fetch.member(), fetch);
        serve();
    }

    /** The first moment at which a lock times out. */
    long nextTimeout() {
        long first = Long.MAX_VALUE;
        for (List<Stored> log : partitions) {
            for (Stored record : log) {
                if (record.holder != null && record.lockedUntil < first) {
                    first = record.lockedUntil;
                }
            }
        }
        return first;
    }

    /** Ends the locks whose time is over, and answers the fetches that wait. */
    void serve() {
        for (List<Stored> log : partitions) {
            for (Stored record : log) {
                if (record.holder != null && record.lockedUntil <= now.getAsLong()) {
                    end(record, End.LOCK_TIMED_OUT);
                }
            }
        }
        for (Fetch each : List.copyOf(fetches.values())) {
            List<Delivery> acquired = acquire(each.member());
            if (!acquired.isEmpty()) {
                fetches.remove(each.member());
                each.answer(acquired);
            }
        }
    }

    private List<Delivery> acquire(String member) {
        for (int i = 0; i < partitions.size(); i++) {
            int partition = (turn + i) % partitions.size();
            List<Delivery> acquired = acquire(member, partitions.get(partition), starts.get(partition));
            if (!acquired.isEmpty()) {
                turn = partition + 1;
                return acquired;
            }
        }
        return List.of();
    }

    /** A record that has failed often is delivered with few others, and in its last delivery alone. */
    private List<Delivery> acquire(String member, List<Stored> log, long start) {
        int suspicious = Math.max(2, (limit + 1) / 2);
        List<Delivery> acquired = new ArrayList<>();
        int batch = -1;
        int few = Integer.MAX_VALUE;
        for (Stored record : log) {
            if (record.offset < start || !record.isAvailable()) {
                continue;
            }
            boolean isNewBatch = record.batch != batch;
            boolean isLast = limit > 2 && record.deliveries == limit - 1;
            boolean isSuspicious = record.deliveries >= suspicious;
            if (!acquired.isEmpty()
                    && (isLast
                            || acquired.size() >= few
                            || (acquired.size() >= most && (isNewBatch || !wholeBatches))
                            || (isNewBatch && isSuspicious))) {
                break;
            }
            if (isSuspicious && few == Integer.MAX_VALUE) {
                long size =
                        log.stream().filter(each -> each.batch == record.batch).count();
                few = (int) Math.max(1, size >> (record.deliveries - suspicious + 1));
            }
            batch = record.batch;
            record.deliveries++;
            record.holder = member;
            record.acquiredAt = now.getAsLong();
            record.lockedUntil = record.acquiredAt + lockNanos;
            observer.acquired(record, member);
            acquired.add(new Delivery(record, (short) record.deliveries));
            if (isLast) {
                break;
            }
        }
        return acquired;
    }

    /**
     * Executes acknowledgments of a partition.
     *
     * @return why none of them was executed; null if they were
     */
    @Nullable
    RuntimeException acknowledge(String member, int partition, SortedMap<Long, AcknowledgeType> types) {
        serve();
        long start = start(partition);
        Map<Stored, AcknowledgeType> wanted = new LinkedHashMap<>();
        for (Map.Entry<Long, AcknowledgeType> each : new TreeMap<>(types).entrySet()) {
            long offset = each.getKey();
            if (offset < start) {
                continue;
            }
            Stored record = partitions.get(partition).get(Math.toIntExact(offset));
            if (!member.equals(record.holder)) {
                return new InvalidRecordStateException("simulated: " + record + " is not acquired by " + member);
            }
            if (each.getValue() == AcknowledgeType.RENEW) {
                record.lockedUntil = now.getAsLong() + lockNanos;
            } else {
                wanted.put(record, each.getValue());
            }
        }
        wanted.forEach((record, type) -> end(
                record,
                switch (type) {
                    case ACCEPT -> End.ACCEPTED;
                    case REJECT -> End.REJECTED;
                    case RELEASE -> End.RELEASED;
                    case RENEW -> throw new AssertionError();
                }));
        serve();
        return null;
    }

    /** The first record that is neither deleted nor over: acknowledgments of those before it are ignored, whoever sends them. */
    private long start(int partition) {
        List<Stored> log = partitions.get(partition);
        long start = starts.get(partition);
        while (start < log.size() && log.get(Math.toIntExact(start)).over) {
            start++;
        }
        return start;
    }

    private void end(Stored record, End end) {
        String member = record.holder == null ? "" : record.holder;
        record.holder = null;
        boolean isDeleted = end == End.DELETED || record.offset < starts.get(record.partition);
        boolean givenUp = end == End.REJECTED || isDeleted || record.deliveries >= limit;
        record.over = end == End.ACCEPTED || givenUp;
        record.archived = end != End.ACCEPTED && givenUp;
        observer.ended(record, member, end);
    }

    /** The member's session is over: what it has acquired is available again. */
    void left(String member) {
        fetches.remove(member);
        for (List<Stored> log : partitions) {
            for (Stored record : log) {
                if (member.equals(record.holder)) {
                    end(record, End.MEMBER_LEFT);
                }
            }
        }
        serve();
    }

    /** Retention: the log of a partition begins here. What is acquired stays with its member. */
    void deleteRecords(int partition, long below) {
        starts.set(partition, Math.max(starts.get(partition), below));
        for (Stored record : partitions.get(partition)) {
            if (record.offset < below && record.isAvailable()) {
                end(record, End.DELETED);
            }
        }
    }

    boolean isDeleted(Stored record) {
        return record.offset < starts.get(record.partition);
    }

    /** As many as another broker has acquired, with which this one is compared. */
    void acquireAtMost(int records) {
        most = Math.max(1, records);
        wholeBatches = false;
    }

    /** Whether a fetch would acquire something. */
    boolean hasAvailable() {
        serve();
        return partitions.stream().flatMap(List::stream).anyMatch(record -> record.isAvailable() && !isDeleted(record));
    }

    long size(int partition) {
        return partitions.get(partition).size();
    }
}
