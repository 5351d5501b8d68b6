package io.dedup.kafka.internal.consumer;

import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Execution;
import io.dedup.adapter.WaitBudget;
import io.dedup.kafka.internal.Partitions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** What one consumer's handlers have done in Kafka transactions, whose ends decide about it. Used by the consumer's thread only. */
public final class TransactionWork {
    private final DedupAdapter engine;
    private final List<Execution> handled = new ArrayList<>();
    private final Map<TopicPartition, Long> offsets = new HashMap<>();
    private final UnansweredCommits unanswered;
    private @Nullable ConsumerRecord<?, ?> current;
    private List<ConsumerRecord<?, ?>> covered = List.of();
    private @Nullable Runnable seekBack;

    TransactionWork(DedupAdapter engine) {
        this.engine = engine;
        this.unanswered = new UnansweredCommits(engine);
    }

    /** A listener was called with these records. */
    public void begin(List<? extends ConsumerRecord<?, ?>> records) {
        current = records.get(0);
        covered = List.copyOf(records);
        seekBack = null;
    }

    /** A listener was called with an empty batch: the transaction commits offsets and what the handler sends, and no claim. */
    public void beginWithoutRecords() {
        current = null;
        seekBack = null;
        covered = List.of();
    }

    /**
     * Runs work that has transactions of its own for some of these records.
     *
     * @param part what they commit
     */
    public void apart(List<? extends ConsumerRecord<?, ?>> part, Runnable work) {
        List<ConsumerRecord<?, ?>> whole = covered;
        covered = List.copyOf(part);
        try {
            work.run();
        } finally {
            covered = whole;
        }
    }

    /** What the container is finished with when the transaction commits that is open, or has just ended. */
    public List<ConsumerRecord<?, ?>> covered() {
        return covered;
    }

    /** A record is being given up in a transaction of its own; when that one fails, this fetches it again. */
    public void recovering(Runnable fetchAgain) {
        seekBack = fetchAgain;
    }

    /** A transaction has failed. */
    public void failed() {
        if (seekBack != null) {
            seekBack.run();
            seekBack = null;
        }
    }

    /** Of the transaction that is open, or has just ended; null when no listener was called in it. */
    @Nullable
    public ConsumerRecord<?, ?> current() {
        return current;
    }

    /** The handler has succeeded with these in the transaction that is open, and their offsets are to be committed in it. */
    public void handled(List<Execution> executions, List<? extends ConsumerRecord<?, ?>> records) {
        handled.addAll(executions);
        for (ConsumerRecord<?, ?> record : records) {
            offsets.merge(Partitions.of(record), record.offset() + 1, Math::max);
        }
    }

    /** Whether somebody else may have taken over what was handled: committing could make it happen twice. */
    public boolean leaseLost() {
        return handled.stream().anyMatch(execution -> execution.guarded() && execution.leaseLost());
    }

    /** Committed: what was handled is done. */
    public void committed(WaitBudget budget) {
        List<Execution> done = List.copyOf(handled);
        clear();
        if (!done.isEmpty()) {
            engine.succeedAll(done, budget);
        }
    }

    /** Rolled back, or never to be committed. */
    public void rolledBack() {
        List<Execution> undone = List.copyOf(handled);
        clear();
        if (!undone.isEmpty()) {
            engine.failAll(undone, new RolledBackException());
        }
    }

    /** The commit has failed, which doesn't tell whether it has happened. */
    public void commitUnknown() {
        if (!handled.isEmpty()) {
            unanswered.add(handled, offsets);
        }
        clear();
    }

    private void clear() {
        handled.clear();
        offsets.clear();
    }

    /** Whether there is a commit that got no answer and concerns these records' partitions. */
    public boolean isUnknown(Collection<? extends ConsumerRecord<?, ?>> records) {
        return unanswered.concern(records);
    }

    /** Commits whose end isn't known. */
    public UnansweredCommits unanswered() {
        return unanswered;
    }

    /** Tells listeners why claims were released. Never thrown. */
    static final class RolledBackException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        RolledBackException() {
            super("the Kafka transaction was rolled back", null, false, false);
        }
    }
}
