package io.dedup.internal.claim;

import io.dedup.DedupKey;
import io.dedup.adapter.WaitBudget;
import io.dedup.internal.lease.Heartbeat;
import io.dedup.policy.DedupPolicy;
import io.dedup.store.ClaimResult.InFlight;
import io.dedup.store.ClaimResult.StoreError;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Repeats undecided claims until they are decided or the budget is spent. If this process handles the other copies itself, the end
 * of their runs ends the wait, and the store is asked seldom meanwhile. Used by one thread.
 */
final class ClaimWait {
    private static final long FIRST_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long MAX_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    /** How often the store is asked about all claims, also those whose other runs are of this process: their leases may be lost. */
    private static final long ASK_ALL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long LEASE_END_MARGIN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Heartbeat heartbeat;
    private final List<ClaimAttempt> attempted;
    private final WaitBudget budget;
    private final AskAgain store;
    private final long begun = System.nanoTime();
    private long askAllAt = begun + ASK_ALL_NANOS;
    private long pollNanos = FIRST_POLL_NANOS;

    /** Claims that got no answer twice in a row. */
    private final BitSet givenUp = new BitSet();

    /** Asks the store again, and replaces the results in the list. */
    interface AskAgain {
        /** @param indexes of the claims in the list */
        void ask(List<Integer> indexes);
    }

    /** @param attempted changed by {@code store} */
    ClaimWait(Heartbeat heartbeat, List<ClaimAttempt> attempted, WaitBudget budget, AskAgain store) {
        this.heartbeat = heartbeat;
        this.attempted = attempted;
        this.budget = budget;
        this.store = store;
    }

    void run() {
        while (budget.nanosLeft() > 0 && !Thread.currentThread().isInterrupted()) {
            Round round = new Round();
            if (round.undecided.isEmpty()) {
                return;
            }
            long from = System.nanoTime();
            List<Integer> toAsk = round.await();
            if (!toAsk.isEmpty()) {
                ask(toAsk);
            }
            budget.spend(System.nanoTime() - from);
        }
    }

    private void ask(List<Integer> indexes) {
        BitSet failedBefore = new BitSet();
        indexes.stream().filter(this::hasFailed).forEach(failedBefore::set);
        store.ask(indexes);
        // A store that fails twice in a row is down: waiting for it here would block the consumer.
        indexes.stream().filter(i -> failedBefore.get(i) && hasFailed(i)).forEach(givenUp::set);
        pollNanos = Math.min(MAX_POLL_NANOS, pollNanos * 2);
    }

    private boolean hasFailed(int index) {
        return attempted.get(index).result() instanceof StoreError;
    }

    /** What is undecided now, and how long to wait until it is asked for. */
    private final class Round {
        private final List<Integer> undecided = new ArrayList<>();
        private final Set<DedupKey> inFlight = new HashSet<>();
        private boolean unanswered;
        /** How long to wait for runs of other processes, and for those of this process. */
        private long elsewhere;

        private long here;

        Round() {
            long now = System.nanoTime();
            for (int i = 0; i < attempted.size(); i++) {
                ClaimAttempt each = attempted.get(i);
                DedupPolicy policy = each.delivery().topic().policy();
                if (policy.shadow()) {
                    continue;
                }
                long leftOfWait = policy.inFlightWait().toNanos() - (now - begun);
                if (each.result() instanceof InFlight other && leftOfWait > 0) {
                    long remaining = other.remaining().toNanos() + LEASE_END_MARGIN_NANOS;
                    elsewhere = Math.max(elsewhere, Math.min(Math.min(pollNanos, remaining), leftOfWait));
                    here = Math.max(here, Math.min(Math.max(1, askAllAt - now), leftOfWait));
                    inFlight.add(each.request().key());
                    undecided.add(i);
                } else if (mayAnswerNow(i, each)) {
                    unanswered = true;
                    undecided.add(i);
                }
            }
        }

        private boolean mayAnswerNow(int index, ClaimAttempt attempt) {
            return hasFailed(index) && attempt.asked() && !givenUp.get(index) && !Claimer.isInFront(attempt.delivery());
        }

        /** Waits, and returns whom to ask for. */
        List<Integer> await() {
            if (inFlight.isEmpty()) {
                return undecided;
            }
            budget.waiting();
            long shortly = Math.min(elsewhere, budget.nanosLeft());
            // A claim without an answer may have been granted, and nobody renews its lease.
            long untilTheirEnd = unanswered ? shortly : Math.min(here, budget.nanosLeft());
            Set<DedupKey> running = heartbeat.awaitEnd(inFlight, untilTheirEnd, shortly);
            if (System.nanoTime() - askAllAt >= 0) {
                askAllAt = System.nanoTime() + ASK_ALL_NANOS;
                return undecided;
            }
            undecided.removeIf(i -> running.contains(attempted.get(i).request().key()));
            return undecided;
        }
    }
}
