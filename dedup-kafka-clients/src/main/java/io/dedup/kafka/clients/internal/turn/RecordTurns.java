package io.dedup.kafka.clients.internal.turn;

import io.dedup.DedupOutcome.Completion;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.RunEnd;
import io.dedup.adapter.Settlement;
import io.dedup.adapter.WaitBudget;
import io.dedup.kafka.clients.internal.settle.ClaimsAhead;
import io.dedup.kafka.clients.internal.settle.Successes;
import io.dedup.kafka.clients.internal.turn.Outcomes.SoughtBack;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The turns of records, one by one. The order of a turn: admit, run the handler, settle its claim, and only then count
 * the record as handled, so that its offset may be committed.
 */
public final class RecordTurns {
    private final DedupAdapter engine;
    private final ClaimsAhead claims;
    private final Successes successes;
    private final Outcomes outcomes;

    public RecordTurns(DedupAdapter engine, ClaimsAhead claims, Successes successes, Outcomes outcomes) {
        this.engine = engine;
        this.claims = claims;
        this.successes = successes;
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
            claims.end();
        }
        return handled;
    }

    private <K, V> int claimFrom(List<Polled<K, V>> records, int from) {
        claims.end();
        List<Delivery> rest = records.subList(from, records.size()).stream()
                .map(Polled::delivery)
                .toList();
        int share = claims.share(rest);
        claims.claim(records.subList(from, from + share).stream()
                .filter(each -> !each.in().isCut())
                .map(Polled::delivery)
                .toList());
        return from + share;
    }

    private <K, V> boolean turn(Polled<K, V> polled, Work<K, V> work) {
        if (successes.isCopyOfHandled(polled.delivery())) {
            outcomes.handled(polled);
            return false;
        }
        if (polled.delivery().topic().policy().maxDeaths() > 0 && claims.isClaimedAlone(polled.delivery())) {
            successes
                    .record(); // if this message crashes the process, its death must not count for those handled before
        }
        Admission admission = claims.admit(polled.delivery());
        if (!(admission instanceof Admission.Run run)) {
            outcomes.notRun(polled, admission);
            return false;
        }
        return run(polled, run.execution(), work);
    }

    private <K, V> boolean run(Polled<K, V> polled, Execution execution, Work<K, V> work) {
        QueuedSuccess queued = new QueuedSuccess(execution, polled.delivery());
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
        if (end instanceof RunEnd.NotRun notRun) {
            outcomes.notRun(polled, notRun.admission());
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
        private final Delivery delivery;
        private boolean leaseLost;

        QueuedSuccess(Execution execution, Delivery delivery) {
            this.execution = execution;
            this.delivery = delivery;
        }

        @Override
        public RunEnd succeeded(byte @Nullable [] result) {
            successes.add(execution, delivery);
            return RunEnd.Handled.with(Completion.PENDING);
        }

        @Override
        public RunEnd failed(Throwable thrown) {
            leaseLost = execution.fail(thrown);
            return new RunEnd.Failed(thrown);
        }
    }

    private void requireNotSoughtBack(Polled<?, ?> polled) throws SoughtBack {
        if (outcomes.isSoughtBack(polled)) {
            throw new SoughtBack();
        }
    }
}
