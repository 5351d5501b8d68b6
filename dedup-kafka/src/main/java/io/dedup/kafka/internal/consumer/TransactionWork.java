package io.dedup.kafka.internal.consumer;

import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Execution;
import io.dedup.adapter.WaitBudget;
import io.dedup.kafka.internal.Partitions;
import io.dedup.kafka.internal.poll.OutstandingRecords;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The work of one consumer's handlers in Kafka transactions, which is completed by a commit and released by a rollback.
 * Used by the consumer's thread only.
 */
public final class TransactionWork {
    private final DedupAdapter engine;
    private final List<Execution> handled = new ArrayList<>();
    private final Map<TopicPartition, Long> offsets = new HashMap<>();
    private final UnansweredCommits unanswered;
    private @Nullable ConsumerRecord<?, ?> current;
    private List<ConsumerRecord<?, ?>> covered = List.of();
    /** Beyond which its commit doesn't move the group's offsets; a partition without an entry has no such limit. */
    private Map<TopicPartition, Long> most = Map.of();

    private boolean apart;
    private @Nullable Runnable seekBack;

    TransactionWork(DedupAdapter engine, UnansweredCommits.Inquirer inquirer) {
        this.engine = engine;
        this.unanswered = new UnansweredCommits(engine, inquirer);
    }

    /**
     * A transaction begins. It finishes nothing unless a listener is called in it: an interceptor may drop its record, and a recovery
     * has records of its own.
     */
    public void beginning() {
        if (!apart) {
            covered = List.of();
            most = Map.of();
        }
    }

    /**
     * A listener was called with these records.
     *
     * @param polled what the container has; its commit includes what an interceptor has left out behind these records. Null
     *     if it commits these records only
     */
    public void begin(List<? extends ConsumerRecord<?, ?>> records, @Nullable OutstandingRecords polled) {
        current = records.get(0);
        covered = List.copyOf(records);
        most = polled == null ? behind(records) : polled.ends();
        seekBack = null;
    }

    /**
     * A listener was called with an empty batch: the transaction commits offsets and what the handler sends, but no
     * claim.
     */
    public void beginWithoutRecords() {
        current = null;
        seekBack = null;
        covered = List.of();
    }

    /**
     * Runs work that commits some of these records in its own transactions.
     *
     * @param part the records that these transactions commit
     */
    public void apart(List<? extends ConsumerRecord<?, ?>> part, Runnable work) {
        List<ConsumerRecord<?, ?>> whole = covered;
        Map<TopicPartition, Long> mostOfWhole = most;
        covered = List.copyOf(part);
        most = behind(part);
        apart = true;
        try {
            work.run();
        } finally {
            apart = false;
            covered = whole;
            most = mostOfWhole;
        }
    }

    private static Map<TopicPartition, Long> behind(List<? extends ConsumerRecord<?, ?>> records) {
        Map<TopicPartition, Long> behind = new HashMap<>();
        records.forEach(record -> behind.merge(Partitions.of(record), record.offset() + 1, Math::max));
        return behind;
    }

    /** The records that are finished when the current transaction, or the one that has just ended, commits. */
    public List<ConsumerRecord<?, ?>> covered() {
        return covered;
    }

    /** These records may be recovered in a transaction of their own; if that fails, {@code fetchAgain} runs. */
    public void recovering(List<? extends ConsumerRecord<?, ?>> records, Runnable fetchAgain) {
        covered = List.copyOf(records);
        seekBack = fetchAgain;
    }

    /** Those that are retried instead weren't recovered: the transaction commits no offset of them. */
    public void retried(Predicate<ConsumerRecord<?, ?>> records) {
        covered = covered.stream().filter(records.negate()).toList();
    }

    /** A transaction has failed. */
    public void failed() {
        if (seekBack != null) {
            seekBack.run();
            seekBack = null;
        }
    }

    /**
     * The first record of the current transaction, or of the one that has just ended; null if no listener was called in
     * it.
     */
    @Nullable
    public ConsumerRecord<?, ?> current() {
        return current;
    }

    /** The handler has succeeded with these in the current transaction, which will commit their offsets. */
    public void handled(List<Execution> executions, List<? extends ConsumerRecord<?, ?>> records) {
        handled.addAll(executions);
        for (ConsumerRecord<?, ?> record : records) {
            offsets.merge(Partitions.of(record), record.offset() + 1, Math::max);
        }
    }

    /** Whether another consumer may have taken over handled messages, so that a commit could repeat an effect. */
    public boolean leaseLost() {
        return handled.stream().anyMatch(execution -> execution.guarded() && execution.leaseLost());
    }

    /** The transaction has committed: completes what was handled. */
    public void committed(WaitBudget budget) {
        List<Execution> done = List.copyOf(handled);
        clear();
        unanswered.committed(behind(covered));
        if (!done.isEmpty()) {
            engine.succeedAll(done, budget);
        }
    }

    /** The transaction was rolled back or will never be committed: releases what was handled. */
    public void rolledBack() {
        List<Execution> undone = List.copyOf(handled);
        clear();
        if (!undone.isEmpty()) {
            engine.failAll(undone, new RolledBackException());
        }
    }

    /** The commit failed, and it isn't known whether it took effect. */
    public void commitUnknown() {
        if (!handled.isEmpty()) {
            unanswered.add(handled, offsets, most);
        }
        clear();
    }

    private void clear() {
        handled.clear();
        offsets.clear();
    }

    /** Whether a commit that got no answer concerns these records' partitions. */
    public boolean isUnknown(Collection<? extends ConsumerRecord<?, ?>> records) {
        return unanswered.concern(records);
    }

    /** The commits whose outcome isn't known. */
    public UnansweredCommits unanswered() {
        return unanswered;
    }

    /** Reports to listeners of the deduplicator why claims were released. Never thrown. */
    static final class RolledBackException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        RolledBackException() {
            super("The Kafka transaction was rolled back", null, false, false);
        }
    }
}
