package io.dedup.kafka.clients.internal.turn;

import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.HandlerRun;
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
        return run.execution().isTransactional()
                ? runInTransaction(polled, run.execution(), work)
                : runClaimed(polled, run.execution(), work);
    }

    private <K, V> boolean runClaimed(Polled<K, V> polled, Execution execution, Work<K, V> work) {
        return HandlerRun.run(
                execution,
                () -> {
                    work.handle(polled.record(), execution);
                    requireNotSoughtBack(polled);
                    return null;
                },
                new Settlement<@Nullable Void, Boolean>() {
                    @Override
                    public Boolean succeeded(@Nullable Void result) {
                        successes.add(execution);
                        outcomes.handled(polled);
                        return true;
                    }

                    @Override
                    public Boolean failed(Throwable thrown) {
                        boolean leaseLost = execution.fail(thrown);
                        if (thrown instanceof Error error) {
                            throw error;
                        }
                        outcomes.failed(polled, leaseLost, thrown);
                        return false;
                    }
                });
    }

    private void requireNotSoughtBack(Polled<?, ?> polled) throws SoughtBack {
        if (outcomes.isSoughtBack(polled)) {
            throw new SoughtBack();
        }
    }

    private <K, V> boolean runInTransaction(Polled<K, V> polled, Execution execution, Work<K, V> work) {
        RunEnd end = engine.run(
                execution,
                begun -> {
                    work.handle(polled.record(), begun);
                    requireNotSoughtBack(polled);
                    return null;
                },
                WaitBudget.none());
        if (end instanceof RunEnd.Handled) {
            outcomes.handled(polled);
            return true;
        }
        if (end instanceof RunEnd.NotRun notRun) {
            outcomes.notRun(polled, notRun.admission());
        } else {
            Throwable cause = ((RunEnd.Failed) end).cause();
            if (cause instanceof Error error) {
                throw error;
            }
            outcomes.failed(polled, false, cause);
        }
        return false;
    }
}
