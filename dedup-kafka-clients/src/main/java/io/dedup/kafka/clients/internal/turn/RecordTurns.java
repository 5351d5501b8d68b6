package io.dedup.kafka.clients.internal.turn;

import io.dedup.DedupOutcome.Completion;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.RunEnd;
import io.dedup.adapter.Settlement;
import io.dedup.adapter.WaitBudget;
import io.dedup.adapter.poll.ClaimedPoll;
import io.dedup.kafka.clients.internal.turn.Outcomes.SoughtBack;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The turns of records, one by one. The order of a turn: admit, run the handler, settle its claim, and only then count
 * the record as handled, so that its offset may be committed.
 */
public final class RecordTurns {
    /** The most that are claimed with one call. */
    private static final int MOST = 500;

    private final DedupAdapter engine;
    private final ClaimedPoll claims;
    private final Outcomes outcomes;

    public RecordTurns(DedupAdapter engine, ClaimedPoll claims, Outcomes outcomes) {
        this.engine = engine;
        this.claims = claims;
        this.outcomes = outcomes;
    }

    /**
     * Handles these records until the time is over.
     *
     * @return how many handlers were successful
     * @throws Error what a handler has thrown, or its cause; exceptions never leave this
     */
    public <K, V> int handle(List<Polled<K, V>> records, Work<K, V> work, Deadline deadline) {
        outcomes.newPoll();
        int handled = 0;
        int claimedTo = 0;
        try {
            for (int i = 0; i < records.size() && !deadline.isOver(); i++) {
                Polled<K, V> polled = records.get(i);
                if (polled.in().isCut()) {
                    continue;
                }
                if (outcomes.waitsForStore(polled)) {
                    outcomes.waitForStore(polled);
                    continue;
                }
                if (i >= claimedTo) {
                    claimedTo = claimFrom(records, i);
                }
                handled += turn(polled, work) ? 1 : 0;
            }
        } finally {
            claims.endTurns();
        }
        return handled;
    }

    /** Claims as many as the handler gets through in time. Returns the index of the record with which to claim again. */
    private <K, V> int claimFrom(List<Polled<K, V>> records, int from) {
        claims.endTurns();
        List<Delivery> next = records.subList(from, Math.min(from + MOST, records.size())).stream()
                .map(Polled::delivery)
                .toList();
        int share = Math.max(1, claims.share(next).size());
        List<Delivery> toClaim = records.subList(from, from + share).stream()
                .filter(each -> !each.in().isCut())
                .map(Polled::delivery)
                .toList();
        claims.polled(toClaim, toClaim.size());
        claims.claimPolled();
        return from + share;
    }

    private <K, V> boolean turn(Polled<K, V> polled, Work<K, V> work) {
        if (claims.skipCopy(polled.delivery())) {
            outcomes.handled(polled);
            return false;
        }
        // Never waits: only this partition is held if the message is in flight, and the others go on.
        Admission admission = claims.admit(polled.delivery(), WaitBudget.none());
        if (!(admission instanceof Admission.Run run)) {
            outcomes.notRun(polled, admission);
            return false;
        }
        return run(polled, run.execution(), work);
    }

    private <K, V> boolean run(Polled<K, V> polled, Execution execution, Work<K, V> work) {
        QueuedSuccess queued = new QueuedSuccess(execution);
        RunEnd end = engine.run(
                execution,
                begun -> {
                    work.handle(polled.record(), begun);
                    requireNotSoughtBack(polled);
                    return null;
                },
                queued,
                WaitBudget.none());
        if (end instanceof RunEnd.Handled) {
            outcomes.handled(polled);
            return true;
        }
        if (end instanceof RunEnd.NotHandled notHandled) {
            outcomes.notRun(polled, notHandled.admission());
            return false;
        }
        Throwable cause = ((RunEnd.Failed) end).cause();
        if (cause instanceof Error error) {
            throw error;
        }
        outcomes.failed(polled, queued.leaseLost, cause);
        return false;
    }

    /** A success outside a transaction is recorded with others, before the next commit. */
    private final class QueuedSuccess implements Settlement<byte @Nullable [], RunEnd> {
        private final Execution execution;
        private boolean leaseLost;

        QueuedSuccess(Execution execution) {
            this.execution = execution;
        }

        @Override
        public RunEnd succeeded(byte @Nullable [] result) {
            claims.succeed(execution, WaitBudget.none());
            return RunEnd.Handled.with(Completion.PENDING);
        }

        @Override
        public RunEnd failed(Throwable thrown) {
            leaseLost = execution.fail(thrown);
            return new RunEnd.Failed(thrown);
        }
    }

    private void requireNotSoughtBack(Polled<?, ?> polled) throws SoughtBack {
        if (outcomes.soughtBack(Set.of(polled.partition())).test(polled)) {
            throw new SoughtBack();
        }
    }
}
