package io.dedup.kafka.internal.share;

import io.dedup.adapter.WaitBudget;
import io.dedup.kafka.internal.KafkaLog;
import io.dedup.kafka.internal.PollBudget;
import io.dedup.kafka.internal.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A share consumer that holds on to what it was given: it renews the locks of all records that aren't acknowledged yet,
 * and gives deferred ones to the listener again without the broker's knowledge. A release would count as one of a
 * record's few deliveries, and a lock that runs out as well; after the last one the broker archives the record.
 *
 * <p>The client hands a renewed record over once more, by its next poll, and can't acknowledge it before that. So a renewal
 * here is all of it: renew, commit, poll. Records that don't come back have lost their locks, and the broker delivers them
 * again: nothing that the container says about them is passed on.
 *
 * <p>The container's thread and the one that renews exclude each other; the client's own check against several threads
 * isn't met.
 */
final class HoldingShareConsumer<K, V> extends GuardedShareConsumer<K, V> {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);
    private static final int DEFAULT_LOCK_MILLIS = 30_000;
    /** Locks are renewed at a third of their time. */
    private static final int RENEW_AT = 3;

    private static final int TICKS = 12;
    /** How often the container looks for acknowledgments of other threads, as it does by itself. */
    private static final long ACK_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    /** In each such time at most a quarter is waited in place, since records behind are waiting as well. */
    private static final Duration WAIT_INTERVAL = Duration.ofSeconds(30);

    private final String name;
    private final Condition never = mutex.newCondition();
    private final HeldRecords<K, V> held = new HeldRecords<>();
    private final PollBudget waits = new PollBudget(WAIT_INTERVAL);
    private final Timer timer = new Timer();
    private @Nullable RuntimeException pollFailure;
    private long lockNanos;
    private long lockedAt;
    private @Nullable Future<?> ticks;
    private long tickNanos;
    private boolean toldOverdue;
    private boolean closed;

    HoldingShareConsumer(ShareConsumer<K, V> client, String name) {
        super(client);
        this.name = name;
    }

    /** For waiting on the consumer's thread. */
    WaitBudget budget() {
        return waits.current();
    }

    /** For claiming this record. One that was deferred before doesn't wait in place again. */
    WaitBudget budgetFor(ConsumerRecord<?, ?> record) {
        return locked(() -> held.wasDeferred(record)) ? WaitBudget.none() : budget();
    }

    /** For waiting on another thread. */
    WaitBudget freshBudget() {
        return waits.fresh();
    }

    /** The handler begins; locks are renewed for at most this long because of it. */
    void handling(ConsumerRecord<?, ?> record, Duration atMost) {
        locked(() -> {
            held.handling(record, System.nanoTime(), atMost);
            return null;
        });
    }

    /** The container's next release of this record only makes it come again from here. */
    void defer(ConsumerRecord<?, ?> record, Duration delay) {
        locked(() -> {
            held.defer(record, System.nanoTime(), delay);
            return null;
        });
    }

    /** Whether the broker gives this record to somebody else, so that it is pointless to begin with it. */
    boolean isLost(ConsumerRecord<?, ?> record) {
        return locked(() -> held.isLost(record));
    }

    @Override
    public ConsumerRecords<K, V> poll(Duration timeout) {
        return locked(() -> {
            if (pollFailure != null) {
                RuntimeException failure = pollFailure;
                pollFailure = null;
                throw failure;
            }
            return held.isEmpty() ? fetch(timeout) : deferred(timeout);
        });
    }

    private ConsumerRecords<K, V> fetch(Duration timeout) {
        held.forgetLost();
        ConsumerRecords<K, V> records = client.poll(timeout);
        if (!records.isEmpty()) {
            held.received(records);
            locksAreFresh(System.nanoTime());
        }
        return records;
    }

    /** What is due. The client would refuse a poll now: it wants all that it gave to be acknowledged. */
    private ConsumerRecords<K, V> deferred(Duration timeout) {
        long until = System.nanoTime() + timeout.toNanos();
        while (true) {
            long now = System.nanoTime();
            long wait = Math.min(until - now, held.untilNextDue(now));
            if (wait <= 0 || held.isEmpty()) {
                return held.takeDue(now);
            }
            boolean acknowledgmentsMayCome = held.anyNotDeferred();
            try {
                long ignored = never.awaitNanos(acknowledgmentsMayCome ? Math.min(wait, ACK_PAUSE_NANOS) : wait);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return ConsumerRecords.empty();
            }
            if (acknowledgmentsMayCome) {
                return held.takeDue(System.nanoTime());
            }
        }
    }

    private void locksAreFresh(long since) {
        lockedAt = since;
        toldOverdue = false;
        lockNanos =
                TimeUnit.MILLISECONDS.toNanos(client.acquisitionLockTimeoutMs().orElse(DEFAULT_LOCK_MILLIS));
        if (ticks == null || tickNanos != lockNanos / TICKS) { // the group's setting may change
            Future<?> before = ticks;
            tickNanos = lockNanos / TICKS;
            ticks = timer.every(Duration.ofNanos(tickNanos), this::tick);
            if (before != null) {
                before.cancel(false);
            }
        }
    }

    /** Renews when it is time. Whatever goes wrong, an Error included, the next tick tries again while the locks last. */
    private void tick() {
        if (mutex.tryLock()) { // else the container is at the broker, and nothing is held, or it is about to be
            // committed
            try {
                if (!closed && !held.isEmpty() && System.nanoTime() - lockedAt >= lockNanos / RENEW_AT) {
                    renewUnlessOverdue();
                }
            } catch (Throwable e) {
                log.warn("{}: the locks of its records couldn't be renewed; it is tried again", name, e);
            } finally {
                mutex.unlock();
            }
        }
    }

    private void renewUnlessOverdue() {
        if (!held.anyOverdue(System.nanoTime())) {
            renew();
        } else if (!toldOverdue) {
            toldOverdue = true;
            log.warn(
                    "{}: a handler takes longer than maxProcessingTime, so the locks of the records that this consumer has"
                            + " aren't renewed any more: they will be delivered to others",
                    name);
        }
    }

    private void renew() {
        long sentAt = System.nanoTime();
        List<ConsumerRecord<K, V>> back = new ArrayList<>(held.all().size()); // what comes back must not be dropped
        for (ConsumerRecord<K, V> record : held.all()) {
            try {
                client.acknowledge(record, AcknowledgeType.RENEW);
            } catch (IllegalStateException e) { // not the client's any more, so it won't come back
                log.debug("{}: a lock is gone", name, e);
            }
        }
        RuntimeException failure = null;
        try {
            client.commitSync(Duration.ofNanos(lockNanos / RENEW_AT))
                    .forEach((partition, failed) -> failed.ifPresent(e ->
                            log.warn("{}: locks in {} couldn't be renewed: {}", name, partition.topicPartition(), e)));
        } catch (RuntimeException e) { // an Error leaves everything as it is, for the next tick
            failure = e;
        }
        takeBack(back);
        if (failure != null) {
            throw failure;
        }
        locksAreFresh(sentAt);
    }

    private void takeBack(List<ConsumerRecord<K, V>> back) {
        try {
            client.poll(Duration.ZERO).forEach(back::add);
        } catch (RuntimeException e) {
            pollFailure = e; // the container knows what to do with it
        }
        HeldRecords.Renewal<K, V> renewal = held.renewed(back);
        if (renewal.lost() > 0) {
            log.warn("{}: lost the locks of {} records; the broker delivers them again", name, renewal.lost());
        }
        held.received(renewal.others());
        renewal.others().forEach(record -> held.defer(record, System.nanoTime(), Duration.ZERO));
    }

    @Override
    public void acknowledge(ConsumerRecord<K, V> record, AcknowledgeType type) {
        locked(() -> {
            if (type == AcknowledgeType.RENEW) {
                renew();
            } else if (type == AcknowledgeType.RELEASE && held.isDeferred(record)) {
                log.debug("{}: keeps a deferred record", name);
            } else if (held.acknowledged(record)) {
                client.acknowledge(record, type);
            } else {
                log.debug("{}: a record was finished after its lock was lost; it will come as a duplicate", name);
            }
            return null;
        });
    }

    /** The broker gives what is held here to others, at once. */
    @Override
    public void close() {
        close(client::close);
    }

    @Override
    public void close(Duration timeout) {
        close(() -> client.close(timeout));
    }

    private void close(Runnable closing) {
        locked(() -> {
            closed = true;
            timer.close();
            closing.run();
            return null;
        });
    }
}
