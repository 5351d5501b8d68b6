package io.dedup.kafka.internal.claimahead;

import io.dedup.DedupKey;
import io.dedup.adapter.Admission;
import io.dedup.adapter.ClaimAhead;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.WaitBudget;
import io.dedup.kafka.internal.KafkaLog;
import io.dedup.kafka.internal.record.RecordDeliveries;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.retrytopic.RetryTopicHeaders;

/**
 * Claims the records of a poll with one call before the container hands them out one by one, and tells the store of many
 * successes with one. Whatever isn't claimed here is claimed when its turn comes: this decides about nothing, and may be left
 * out at any time. A record's ID is looked for again at its turn: an interceptor may have changed the record since.
 *
 * <p>Only works when it has seen a poll (package {@code poll} shows them). Used by the consumer's thread.
 */
public final class ClaimedPoll {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);
    private static final int SHARE_OF_LEASE = 3;
    private static final int LONGEST_WAIT_OF_LEASE = 2;

    private final DedupAdapter engine;
    private final RecordDeliveries deliveries;
    private final @Nullable QueuedCompletions completions;
    private final @Nullable WaitingClaims waiting;
    private final Runnable giveBack = this::giveBack; // one for all records
    private @Nullable ConsumerRecords<?, ?> unclaimed;
    private boolean hasPolled;
    private final RecordPace pace = new RecordPace();

    /**
     * For one consumer.
     *
     * @param completions null where each success has to be durable at once
     * @param waiting null where nothing is claimed ahead
     */
    public ClaimedPoll(
            DedupAdapter engine,
            RecordDeliveries deliveries,
            @Nullable QueuedCompletions completions,
            @Nullable WaitingClaims waiting) {
        this.waiting = waiting;
        this.engine = engine;
        this.deliveries = deliveries;
        this.completions = completions;
    }

    /** Claims nothing ahead, and queues nothing. */
    public static ClaimedPoll none(DedupAdapter engine, RecordDeliveries deliveries) {
        return new ClaimedPoll(engine, deliveries, null, null);
    }

    /**
     * What the container hasn't handed out by now it has dropped, or will come again, or is kept back by the container and
     * claimed at its turn. Never throws.
     */
    public void beforePoll() {
        hasPolled = true;
        pace.end();
        flush();
        if (completions != null) {
            completions.newPoll();
        }
        giveBack();
    }

    /** Everything that was handled is durable; to be called before offsets are committed. */
    public void flush() {
        if (completions != null) {
            completions.flush();
        }
    }

    /**
     * These were polled. They are claimed at the first one's turn: until then a call that throws makes the container drop them,
     * and a claim takes its time.
     */
    public void polled(ConsumerRecords<?, ?> records) {
        unclaimed = records;
    }

    /** Never throws: records that can't be claimed together are claimed one by one. */
    private void claimPolled() {
        ConsumerRecords<?, ?> records = unclaimed;
        if (records == null || waiting == null) {
            return;
        }
        unclaimed = null;
        try {
            claim(records, waiting);
        } catch (Throwable e) {
            log.warn("A poll couldn't be claimed ahead; its records are claimed one by one", e);
            giveBack();
        }
        pace.begin(records.count());
    }

    private void claim(ConsumerRecords<?, ?> records, WaitingClaims waiting) {
        if (waiting.hasStoreFailed()) { // until a record has been decided about: to ask twice would double the wait
            return;
        }
        List<Delivery> toClaim = new ArrayList<>(records.count());
        long shortestLease = Long.MAX_VALUE;
        long nanos = 0;
        for (ConsumerRecord<?, ?> record : records) {
            if (isDelayed(record)) {
                continue;
            }
            Delivery delivery = deliveries.of(record);
            nanos += pace.nanosPerRecord();
            shortestLease =
                    Math.min(shortestLease, delivery.topic().policy().lease().toNanos());
            if (nanos > shortestLease / SHARE_OF_LEASE) {
                break; // a slow handler: what waits longer is claimed at its turn
            }
            toClaim.add(delivery);
        }
        if (toClaim.size() > 1) {
            waiting.claim(toClaim, Duration.ofNanos(shortestLease / LONGEST_WAIT_OF_LEASE));
        }
    }

    /** A retry topic's record may be held back for a while before it reaches the listener, and is fetched again then. */
    private static boolean isDelayed(ConsumerRecord<?, ?> record) {
        return record.headers().lastHeader(RetryTopicHeaders.DEFAULT_HEADER_BACKOFF_TIMESTAMP) != null;
    }

    /** Whether it is a copy of a message that succeeded since the poll, so that the store needn't be asked: to be acked with it. */
    public boolean follows(Delivery delivery) {
        claimPolled();
        DedupKey key = delivery.key();
        if (completions == null || key == null || delivery.topic().policy().shadow()) {
            return false;
        }
        QueuedCompletions.Queued first = completions.find(key);
        if (first == null) {
            return false;
        }
        if (first.delivery().differsFrom(delivery)) {
            completions.flush(); // the store decides
            return false;
        }
        engine.ahead().follows(delivery, first.execution());
        return true;
    }

    public Admission admit(Delivery delivery, WaitBudget budget) {
        ClaimAhead claim = waiting == null || delivery.key() == null ? null : waiting.take(delivery.key());
        if (claim != null && claim.delivery().differsFrom(delivery)) {
            engine.ahead()
                    .giveBack(List.of(claim)); // its record was dropped on the way, and this isn't the same message
            claim = null;
        }
        Admission admission = admit(delivery, claim, budget);
        if (waiting != null && !(admission instanceof Admission.Defer)) {
            waiting.storeAnswers();
        }
        return admission;
    }

    /** Whoever waits for a message that is in flight elsewhere gives back what it has claimed ahead: others may wait for that. */
    private Admission admit(Delivery delivery, @Nullable ClaimAhead claim, WaitBudget budget) {
        budget.beforeWaiting(giveBack);
        try {
            return claim == null
                    ? engine.admit(delivery, budget)
                    : engine.ahead().admit(claim, budget);
        } finally {
            budget.beforeWaiting(null);
        }
    }

    /** The handler has succeeded, and the record may be acked. */
    public void succeed(Execution execution, Delivery delivery, WaitBudget budget) {
        if (!queue(execution, delivery)) {
            execution.succeed(null, budget); // whatever it says: the effect has happened
        }
    }

    /** Takes it on to tell the store before the next commit; false where nobody would wait for that. */
    public boolean queue(Execution execution, Delivery delivery) {
        if (completions == null || !hasPolled) {
            return false;
        }
        completions.add(execution, delivery);
        return true;
    }

    /** Gives up what hasn't begun. Never throws. */
    public void giveBack() {
        unclaimed = null;
        if (waiting != null) {
            waiting.giveBack();
        }
    }

    /** The consumer has come to its end: nothing waits for a commit any more. */
    public void end() {
        hasPolled = false;
        flush();
        giveBack();
    }
}
