package io.dedup.kafka.internal.share;

import io.dedup.DedupOutcome.DeferReason;
import io.dedup.adapter.WaitBudget;
import io.dedup.adapter.poll.PollBudget;
import io.dedup.adapter.poll.PollTimer;
import io.dedup.kafka.exception.DeliveryDeferredException;
import io.dedup.kafka.internal.KafkaLog;
import io.dedup.kafka.internal.Partitions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.AcknowledgementCommitCallback;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A share consumer that keeps the records it was given: it renews the locks of all records that aren't acknowledged,
 * and passes deferred records to the listener again without involving the broker. A release would count as one of a
 * record's few deliveries, and so would an expired lock; after the last delivery the broker archives the record.
 *
 * <p>The client returns a renewed record once more from its next poll, and cannot acknowledge it before. So a renewal
 * consists of three steps: renew, commit, poll. Records that aren't returned have lost their locks, and the broker
 * redelivers them: the container's acknowledgments of them aren't passed on.
 *
 * <p>The container's thread and the renewing thread exclude each other, so that the client's own check against several
 * threads isn't triggered.
 */
final class HoldingShareConsumer<K, V> extends GuardedShareConsumer<K, V> {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);
    private static final int DEFAULT_LOCK_MILLIS = 30_000;
    /** Locks are renewed at a third of their duration. */
    private static final int RENEW_AT = 3;

    private static final int TICKS = 12;
    /** How often the container checks for acknowledgments from other threads, as it does by itself. */
    private static final long ACK_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    /** In each such interval at most a quarter is spent waiting in place, because other records wait meanwhile. */
    private static final Duration WAIT_INTERVAL = Duration.ofSeconds(30);

    private final String name;
    private final StoreGate store;
    private final LastDeliveries last;
    private final Condition never = mutex.newCondition();
    private final HeldRecords<K, V> held = new HeldRecords<>();
    private final PollBudget waits = new PollBudget(WAIT_INTERVAL);
    private final PollTimer timer = new PollTimer("dedup-kafka-timer", log);
    private final Supplier<ShareConsumer<K, V>> clients;
    /** A renewed offset of each partition, as long as the outcome of its renewal isn't known. */
    private final Map<TopicPartition, Long> awaited = new HashMap<>();

    private @Nullable AcknowledgementCommitCallback commitCallback;
    private boolean clientIsForgetful;
    private @Nullable RuntimeException pollFailure;
    private long polledAt = System.nanoTime();
    private long lockNanos;
    private long lockedAt;
    private @Nullable Future<?> ticks;
    private long tickNanos;
    private boolean warnedOverdue;
    private boolean closed;

    /** @param clients makes the client, and another one when that has become useless */
    HoldingShareConsumer(Supplier<ShareConsumer<K, V>> clients, String name, StoreGate store, LastDeliveries last) {
        super(clients.get());
        this.clients = clients;
        client.setAcknowledgementCommitCallback(this::reported);
        this.name = name;
        this.store = store;
        this.last = last;
    }

    /** For waits on the consumer's thread. */
    WaitBudget budget() {
        return waits.current();
    }

    /** For claiming this record. A record that was deferred before doesn't wait in place again. */
    WaitBudget budgetFor(ConsumerRecord<?, ?> record) {
        return locked(() -> held.wasDeferred(record)) ? WaitBudget.none() : budget();
    }

    /** For waits on another thread. */
    WaitBudget freshBudget() {
        return waits.fresh();
    }

    /** The handler begins. Because of it, locks are renewed for at most this long. */
    void handling(ConsumerRecord<?, ?> record, Duration atMost) {
        locked(() -> {
            held.handling(record, System.nanoTime(), atMost);
            return null;
        });
    }

    /** The container's next release of this record only makes this consumer return it again after the delay. */
    void defer(ConsumerRecord<?, ?> record, DeliveryDeferredException deferral) {
        locked(() -> {
            if (last.isLast(record) && !held.wasDeferred(record) && !held.isLost(record)) {
                last.deferred(record, deferral);
            }
            if (deferral.reason() == DeferReason.STORE_UNAVAILABLE) {
                store.storeFailed();
            }
            held.defer(record, System.nanoTime(), deferral);
            return null;
        });
    }

    /** Whether the broker will redeliver this record to another consumer, so that it shouldn't be started. */
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
            if (!held.isEmpty()) {
                return deferred(timeout);
            }
            if (clientIsForgetful) {
                replaceClient();
            }
            return awaitStore(timeout) ? fetch(timeout) : ConsumerRecords.empty();
        });
    }

    /** Returns false if the store doesn't answer within this time, so that nothing may be acquired. */
    private boolean awaitStore(Duration timeout) {
        long until = System.nanoTime() + timeout.toNanos();
        while (!store.isOpen()) {
            long wait = until - System.nanoTime();
            if (wait <= 0) {
                return false;
            }
            try {
                long ignored = never.awaitNanos(Math.min(wait, store.untilProbe()));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return true;
    }

    private ConsumerRecords<K, V> fetch(Duration timeout) {
        held.forgetLost();
        long asked = polledAt; // what this poll returns, an earlier one may have fetched
        polledAt = System.nanoTime();
        ConsumerRecords<K, V> records = client.poll(timeout);
        if (!records.isEmpty()) {
            held.received(records);
            locksAreFresh(asked);
        }
        return records;
    }

    /**
     * Returns the deferred records that are due. The client would refuse a poll now, because not all of its records are
     * acknowledged.
     */
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
        warnedOverdue = false;
        lockNanos =
                TimeUnit.MILLISECONDS.toNanos(client.acquisitionLockTimeoutMs().orElse(DEFAULT_LOCK_MILLIS));
        if (ticks == null || tickNanos != lockNanos / TICKS) { // the group's lock duration may change
            Future<?> before = ticks;
            tickNanos = lockNanos / TICKS;
            ticks = timer.every(Duration.ofNanos(tickNanos), this::tick);
            if (before != null) {
                before.cancel(false);
            }
        }
    }

    /** Renews when it is time. Whatever is thrown, Errors included, the next tick tries again while the locks last. */
    private void tick() {
        if (mutex.tryLock()) { // otherwise the container is calling the broker
            try {
                if (!closed && !held.isEmpty() && System.nanoTime() - lockedAt >= lockNanos / RENEW_AT) {
                    renewUnlessOverdue();
                }
            } catch (Throwable e) {
                log.warn("Cannot renew the record locks of {}; retrying", name, e);
            } finally {
                mutex.unlock();
            }
        }
    }

    private void renewUnlessOverdue() {
        if (!held.anyOverdue(System.nanoTime())) {
            renew();
        } else if (!warnedOverdue) {
            warnedOverdue = true;
            log.warn(
                    "A handler of {} has run for longer than max-processing-time (Java: maxProcessingTime), so the"
                            + " locks of all records of this consumer are no longer renewed: the broker redelivers"
                            + " them to other consumers",
                    name);
        }
    }

    /**
     * Renews all locks, with a commit that has nothing else in it: the client learns from the last answer alone whether there were
     * renewals, and one that had only other acknowledgments would make it wait for the renewed records for ever.
     */
    private void renew() {
        client.commitAsync();
        long sentAt = System.nanoTime();
        List<ConsumerRecord<K, V>> back =
                new ArrayList<>(held.all().size()); // allocated first: returned records must not be dropped
        awaited.clear();
        for (ConsumerRecord<K, V> record : held.all()) {
            try {
                client.acknowledge(record, AcknowledgeType.RENEW);
                awaited.put(Partitions.of(record), record.offset());
            } catch (IllegalStateException e) { // the client no longer has it, so it won't be returned
                log.debug("{}: a lock is gone", name, e);
            }
        }
        Map<TopicIdPartition, Optional<KafkaException>> outcomes;
        try {
            outcomes = client.commitSync(atMost());
        } catch (RuntimeException e) { // an Error leaves the state unchanged for the next tick
            clientIsForgetful |= e instanceof TimeoutException; // it may wait for the broker for ever
            takeBack(back, false);
            throw e;
        }
        outcomes.forEach((partition, failed) -> failed.ifPresent(
                e -> log.warn("Cannot renew the record locks of {} in {}: {}", name, partition.topicPartition(), e)));
        outcomes.keySet().forEach(partition -> awaited.remove(partition.topicPartition()));
        clientIsForgetful |= !awaited.isEmpty();
        takeBack(back, outcomes.values().stream().anyMatch(Optional::isEmpty));
        locksAreFresh(sentAt);
    }

    /** Also called for partitions whose leader is known to have changed, which are no outcomes. */
    private void reported(Map<TopicIdPartition, Set<Long>> offsets, @Nullable Exception failure) {
        offsets.forEach((partition, some) -> awaited.computeIfPresent(
                partition.topicPartition(), (key, offset) -> some.contains(offset) ? null : offset));
        if (commitCallback != null) {
            commitCallback.onComplete(offsets, failure);
        }
    }

    /**
     * Before 4.3 (KAFKA-20330) a client drops renewals whose broker it doesn't know any more, without an outcome, and then waits for
     * their records for ever. It still returns records whose renewal it knows, so it serves until nothing is held any more. But then it
     * would go on fetching, and return nothing, until the broker archives what it has fetched.
     */
    private void replaceClient() {
        log.warn("The Kafka client of {} has given no outcome for renewals; going on with another client", name);
        clientIsForgetful = false;
        Set<String> topics = client.subscription();
        try {
            client.close(atMost());
        } catch (RuntimeException e) {
            log.warn("Cannot close the client of {}", name, e);
        }
        client = clients.get();
        client.setAcknowledgementCommitCallback(this::reported);
        client.subscribe(topics);
    }

    /** For a call under the lock, while records are held: there has to be time for a renewal afterwards. */
    private Duration atMost() {
        return Duration.ofNanos(lockNanos / RENEW_AT);
    }

    @Override
    public Map<TopicIdPartition, Optional<KafkaException>> commitSync() {
        return locked(() -> held.isEmpty() ? client.commitSync() : client.commitSync(atMost()));
    }

    @Override
    public void setAcknowledgementCommitCallback(AcknowledgementCommitCallback callback) {
        locked(() -> {
            commitCallback = callback;
            return null;
        });
    }

    /**
     * A poll that finds no renewed record would fetch others, whose locks nobody renews while a handler runs: each fetch spends a
     * delivery.
     */
    private void takeBack(List<ConsumerRecord<K, V>> back, boolean anyRenewed) {
        try {
            if (anyRenewed) {
                client.poll(Duration.ZERO).forEach(back::add);
            }
        } catch (RuntimeException e) {
            pollFailure = e; // thrown by the container's next poll
        }
        HeldRecords.Renewal<K, V> renewal = held.renewed(back);
        if (renewal.lost() > 0) {
            log.warn("Lost the locks of {} records of {}; the broker redelivers them", renewal.lost(), name);
        }
        held.received(renewal.others());
        renewal.others().forEach(record -> held.due(record, System.nanoTime()));
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
                log.debug(
                        "{}: a record was finished after its lock was lost; it will be redelivered as a duplicate",
                        name);
            }
            return null;
        });
    }

    /** The broker redelivers the held records to other consumers at once, except those in their last delivery. */
    @Override
    public void close() {
        close(() -> client.close());
    }

    @Override
    public void close(Duration timeout) {
        close(() -> client.close(timeout));
    }

    private void close(Runnable closing) {
        Map<ConsumerRecord<K, V>, AcknowledgeType> ends = new LinkedHashMap<>();
        for (ConsumerRecord<K, V> record : locked(held::all)) { // without the lock, because a recoverer may take long
            if (last.isLast(record)) {
                ends.put(record, last.closing(record, locked(() -> held.deferral(record))));
            }
        }
        locked(() -> {
            closed = true;
            timer.close();
            try {
                ends.forEach((record, type) -> {
                    if (type != AcknowledgeType.RELEASE && held.acknowledged(record)) {
                        client.acknowledge(record, type);
                    }
                });
            } finally {
                closing.run();
            }
            return null;
        });
    }
}
