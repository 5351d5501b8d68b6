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
 * Claims the records of a poll with one call before the container hands them out one by one, and records many successes
 * with one call. A record that isn't claimed here is claimed at its turn: this class decides nothing, and can be left
 * out at any time. A record's ID is extracted again at its turn, because an interceptor may have changed the record
 * since.
 *
 * <p>It works only once it has seen a poll (package {@code poll} reports them). Used by the consumer's thread.
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
     * Creates the one of a consumer.
     *
     * @param completions null if each success must be recorded at once
     * @param waiting null if nothing is claimed ahead
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

    /** Claims nothing ahead and queues nothing. */
    public static ClaimedPoll none(DedupAdapter engine, RecordDeliveries deliveries) {
        return new ClaimedPoll(engine, deliveries, null, null);
    }

    /**
     * Returns the unused claims of the last poll: the container has dropped their records, will fetch them again, or
     * keeps them, and then they are claimed at their turns. Never throws.
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

    /** Returns when every success is recorded. Called before offsets are committed. */
    public void flush() {
        if (completions != null) {
            completions.flush();
        }
    }

    /**
     * Takes the polled records, which are claimed at the first one's turn: until then an exception makes the container
     * drop them, and claiming takes time.
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
            log.warn("Cannot claim the records of a poll together; claiming them one by one", e);
            giveBack();
        }
        pace.begin(records.count());
    }

    private void claim(ConsumerRecords<?, ?> records, WaitingClaims waiting) {
        if (waiting.hasStoreFailed()) { // wait for one record's answer first: asking twice would double the wait
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
                break; // the handler is slow: the remaining records are claimed at their turns
            }
            toClaim.add(delivery);
        }
        if (toClaim.size() > 1) {
            waiting.claim(toClaim, Duration.ofNanos(shortestLease / LONGEST_WAIT_OF_LEASE));
        }
    }

    /**
     * The container may hold back a retry topic's record before it reaches the listener, and fetches it again later.
     */
    private static boolean isDelayed(ConsumerRecord<?, ?> record) {
        return record.headers().lastHeader(RetryTopicHeaders.DEFAULT_HEADER_BACKOFF_TIMESTAMP) != null;
    }

    /**
     * Whether this is a copy of a message that succeeded since the poll, so that it can be acknowledged with that one,
     * without asking the store.
     */
    public boolean follows(Delivery delivery) {
        claimPolled();
        DedupKey key = delivery.key();
        if (completions == null || key == null || delivery.topic().policy().shadow()) {
            return false;
        }
        Execution first = completions.find(key);
        if (first == null) {
            return false;
        }
        if (first.delivery().differsFrom(delivery)) {
            completions.flush(); // the store decides
            return false;
        }
        engine.ahead().follows(delivery, first);
        return true;
    }

    public Admission admit(Delivery delivery, WaitBudget budget) {
        ClaimAhead claim = waiting == null || delivery.key() == null ? null : waiting.take(delivery.key());
        if (claim != null && claim.delivery().differsFrom(delivery)) {
            engine.ahead().giveBack(List.of(claim)); // its record was dropped, and this message has another payload
            claim = null;
        }
        if (claim == null && completions != null && delivery.topic().policy().maxDeaths() > 0) {
            completions
                    .flush(); // if this message crashes the process, its death must not count for those handled before
        }
        Admission admission = admit(delivery, claim, budget);
        if (waiting != null && !(admission instanceof Admission.Defer)) {
            waiting.storeAnswers();
        }
        return admission;
    }

    /**
     * Before it waits for a message that is in flight elsewhere, it returns the claims ahead, since other consumers may
     * wait for those.
     */
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

    /** The handler has succeeded; when this returns, the record may be acknowledged. */
    public void succeed(Execution execution, WaitBudget budget) {
        if (!queue(execution)) {
            execution.succeed(null, budget); // whatever the answer, the effect has happened
        }
    }

    /** Queues a success to be recorded before the next commit. Returns false if no commit would wait for it. */
    public boolean queue(Execution execution) {
        if (completions == null || !hasPolled) {
            return false;
        }
        completions.add(execution);
        return true;
    }

    /** Returns the claims of records whose turn hasn't come. Never throws. */
    public void giveBack() {
        unclaimed = null;
        if (waiting != null) {
            waiting.giveBack();
        }
    }

    /** The consumer has ended: no commit will wait for successes any more. */
    public void end() {
        hasPolled = false;
        flush();
        giveBack();
    }
}
