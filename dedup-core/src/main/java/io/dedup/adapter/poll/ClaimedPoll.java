package io.dedup.adapter.poll;

import io.dedup.DedupKey;
import io.dedup.adapter.Admission;
import io.dedup.adapter.ClaimAhead;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.WaitBudget;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Claims the messages of a poll with one call at the first one's turn, and records many successes with one call before
 * the consumer commits. A message that isn't claimed here is claimed at its turn: this class decides nothing, and can be
 * left out at any time. What counts is the delivery at its turn, which may have another ID than it had when it was
 * polled.
 *
 * <p>The order of a poll: {@link #beforePoll}, {@link #polled}, and for each message {@link #claimPolled}, {@link
 * #skipCopy}, {@link #admit} and, if its handler succeeds, {@link #succeed}. Successes are queued only once a poll was
 * seen, and {@link #flush} must return before each commit. Used by the consumer's thread.
 */
public final class ClaimedPoll {
    private static final int SHARE_OF_LEASE = 3;
    private static final int LONGEST_WAIT_OF_LEASE = 2;

    private final DedupAdapter engine;
    private final @Nullable SuccessQueue successes;
    private final @Nullable WaitingClaims waiting;
    private final Logger log;
    private final Runnable giveBack = this::giveBack; // one for all messages
    private final RecordPace pace = new RecordPace();
    private @Nullable Iterable<Delivery> unclaimed;
    private int turns;
    private boolean hasPolled;

    /**
     * Creates the one of a consumer.
     *
     * @param successes null if each success must be recorded at once
     * @param waiting null if nothing is claimed ahead
     */
    public ClaimedPoll(
            DedupAdapter engine, @Nullable SuccessQueue successes, @Nullable WaitingClaims waiting, Logger log) {
        this.engine = engine;
        this.successes = successes;
        this.waiting = waiting;
        this.log = log;
    }

    /**
     * Records all successes, and gives back the unused claims of the last poll: their messages were dropped, will be
     * fetched again, or are kept by the client, and then they are claimed at their turns. Never throws.
     */
    public void beforePoll() {
        hasPolled = true;
        pace.end();
        flush();
        if (successes != null) {
            successes.newPoll();
        }
        giveBack();
    }

    /** Returns when every success is recorded. Call this before offsets are committed. Never throws. */
    public void flush() {
        if (successes != null) {
            successes.flush();
        }
    }

    /**
     * Takes messages whose turns come next. Claims nothing yet: until the first turn the client may drop them, and
     * claiming takes time.
     *
     * @param deliveries read once, at the first turn
     * @param count how many turns begin now
     */
    public void polled(Iterable<Delivery> deliveries, int count) {
        unclaimed = deliveries;
        turns = count;
    }

    /** Claims what was polled, if this is the first turn since. Never throws: what it cannot claim is claimed at its turn. */
    public void claimPolled() {
        Iterable<Delivery> polled = unclaimed;
        if (polled == null || waiting == null) {
            return;
        }
        unclaimed = null;
        try {
            claim(polled, waiting);
        } catch (Throwable e) {
            log.warn("Cannot claim the records of a poll together; claiming them one by one", e);
            giveBack();
        }
        pace.begin(turns);
    }

    private void claim(Iterable<Delivery> polled, WaitingClaims waiting) {
        if (waiting.hasStoreFailed()) { // wait for one message's answer first: asking twice would double the wait
            return;
        }
        List<Delivery> first = share(polled);
        if (first.size() > 1) { // otherwise it saves nothing
            long shortestLease = first.stream()
                    .mapToLong(each -> each.topic().policy().lease().toNanos())
                    .min()
                    .getAsLong();
            waiting.claim(first, Duration.ofNanos(shortestLease / LONGEST_WAIT_OF_LEASE));
        }
    }

    /**
     * Returns the first of these, as many as the handler is expected to get through within a third of their leases. If
     * the handler is slow, the others are claimed later.
     */
    public List<Delivery> share(Iterable<Delivery> deliveries) {
        List<Delivery> share = new ArrayList<>();
        long shortestLease = Long.MAX_VALUE;
        long nanos = 0;
        for (Delivery delivery : deliveries) {
            nanos += pace.nanosPerRecord();
            shortestLease =
                    Math.min(shortestLease, delivery.topic().policy().lease().toNanos());
            if (nanos > shortestLease / SHARE_OF_LEASE) {
                break;
            }
            share.add(delivery);
        }
        return share;
    }

    /**
     * If this is a copy of a message that succeeded since the poll, reports it to the listeners as a duplicate and
     * returns true: acknowledge it with that message, without asking the store.
     */
    public boolean skipCopy(Delivery delivery) {
        DedupKey key = delivery.key();
        if (successes == null || key == null || delivery.isShadow()) {
            return false;
        }
        Execution first = successes.find(key);
        if (first == null) {
            return false;
        }
        if (first.delivery().differsFrom(delivery)) {
            flush(); // the store decides
            return false;
        }
        engine.ahead().follows(delivery, first);
        return true;
    }

    /** Decides about the delivery whose turn it is; with the claim made ahead, without asking the store. */
    public Admission admit(Delivery delivery, WaitBudget budget) {
        ClaimAhead claim = waiting == null || delivery.key() == null ? null : waiting.take(delivery.key());
        if (claim != null && claim.delivery().differsFrom(delivery)) {
            engine.ahead().giveBack(List.of(claim)); // its message was dropped, and this one has another payload
            claim = null;
        }
        if (successes != null && mustRecordFirst(successes, delivery, claim)) {
            successes.flush();
        }
        Admission admission;
        // Before it waits for a message that is in flight elsewhere, it returns the claims ahead: others may wait for
        // those.
        budget.beforeWaiting(giveBack);
        try {
            admission = claim == null
                    ? engine.admit(delivery, budget)
                    : engine.ahead().admit(claim, budget);
        } finally {
            budget.beforeWaiting(null);
        }
        if (waiting != null && !(admission instanceof Admission.Defer)) {
            waiting.storeAnswers();
        }
        return admission;
    }

    /**
     * If this message crashes the process, its death must not count for those handled before. It can count for each that
     * was claimed alone, and a message that is claimed alone is the likeliest to crash it.
     */
    private static boolean mustRecordFirst(SuccessQueue successes, Delivery delivery, @Nullable ClaimAhead claim) {
        return (claim == null && delivery.topic().policy().maxDeaths() > 0) || successes.isChargeable();
    }

    /** The handler has succeeded; when this returns, the message may be acknowledged. */
    public void succeed(Execution execution, WaitBudget budget) {
        if (!queue(execution)) {
            execution.succeed(null, budget); // whatever the answer, the effect has happened
        }
    }

    /** Queues a success to be recorded before the next commit. Returns false if no commit would wait for it. */
    public boolean queue(Execution execution) {
        if (successes == null || !hasPolled) {
            return false;
        }
        successes.add(execution);
        return true;
    }

    /** The turns are over: gives back the claims of messages whose turns haven't come. Never throws. */
    public void endTurns() {
        pace.end();
        giveBack();
    }

    /** Gives back the claims of messages whose turns haven't come. Never throws. */
    public void giveBack() {
        unclaimed = null;
        if (waiting != null) {
            waiting.giveBack();
        }
    }

    /** The consumer has ended: no commit will wait for successes any more. Never throws. */
    public void end() {
        hasPolled = false;
        flush();
        giveBack();
    }
}
