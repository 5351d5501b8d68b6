package io.dedup.kafka.internal.consumer;

import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Execution;
import io.dedup.adapter.WaitBudget;
import io.dedup.kafka.internal.KafkaLog;
import io.dedup.kafka.internal.Partitions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one consumer's handlers have done in Kafka transactions, whose ends decide about it. Used by the consumer's thread
 * only.
 *
 * <p>The group's committed offset is part of the transaction. So it tells how a commit ended whose answer got lost: a
 * consumer is told a committed offset only when no transaction is open that may move it.
 */
public final class TransactionWork {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);
    private static final Duration ASKING = Duration.ofSeconds(1);

    /** What is known of commits that got no answer. */
    public enum Answer {
        NOTHING_OPEN,
        COMMITTED,
        ABORTED,
        UNKNOWN
    }

    /** What is done when the committed offsets are at least these. */
    private record Unanswered(List<Execution> executions, Map<TopicPartition, Long> offsets) {}

    private final DedupAdapter engine;
    private final List<Execution> handled = new ArrayList<>();
    private final Map<TopicPartition, Long> offsets = new HashMap<>();
    private final List<Unanswered> unanswered = new ArrayList<>();
    private @Nullable ConsumerRecord<?, ?> current;
    private List<ConsumerRecord<?, ?>> covered = List.of();
    private @Nullable Runnable seekBack;

    TransactionWork(DedupAdapter engine) {
        this.engine = engine;
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
            unanswered.add(new Unanswered(List.copyOf(handled), new HashMap<>(offsets)));
        }
        clear();
    }

    private void clear() {
        handled.clear();
        offsets.clear();
    }

    /** Whether there is a commit that got no answer and concerns these records' partitions. */
    public boolean isUnknown(Collection<? extends ConsumerRecord<?, ?>> records) {
        return !concerning(records).isEmpty();
    }

    /** Finds out how those commits ended. What has committed is done; what hasn't is released. */
    public Answer resolve(
            Collection<? extends ConsumerRecord<?, ?>> records, Consumer<?, ?> consumer, WaitBudget budget) {
        Answer worst = Answer.NOTHING_OPEN;
        for (Unanswered each : concerning(records)) {
            Answer answer = close(each, answer(each, consumer), budget);
            worst = answer.compareTo(worst) > 0 ? answer : worst;
        }
        return worst;
    }

    private List<Unanswered> concerning(Collection<? extends ConsumerRecord<?, ?>> records) {
        return unanswered.stream()
                .filter(each -> records.stream().map(Partitions::of).anyMatch(each.offsets()::containsKey))
                .toList();
    }

    private Answer close(Unanswered each, Answer answer, WaitBudget budget) {
        if (answer == Answer.COMMITTED) {
            engine.succeedAll(each.executions(), budget);
        } else if (answer == Answer.ABORTED) {
            engine.failAll(each.executions(), new RolledBackException());
        } else if (each.executions().stream().anyMatch(Execution::leaseLost)) {
            each.executions().forEach(Execution::abandon); // too late: who has taken over decides
        } else {
            return answer;
        }
        unanswered.remove(each);
        return answer == Answer.UNKNOWN ? Answer.NOTHING_OPEN : answer;
    }

    private static Answer answer(Unanswered open, Consumer<?, ?> consumer) {
        Map<TopicPartition, Long> asked = new HashMap<>(open.offsets());
        asked.keySet().retainAll(consumer.assignment()); // of others, somebody else may have moved the offset
        Map<TopicPartition, OffsetAndMetadata> answers;
        try {
            answers = consumer.committed(asked.keySet(), ASKING);
        } catch (RuntimeException e) { // such as a time-out, while the transaction is open
            log.debug("The committed offsets of {} aren't known yet", asked.keySet(), e);
            return Answer.UNKNOWN;
        }
        long committed = asked.entrySet().stream()
                .filter(entry -> isCommitted(answers.get(entry.getKey()), entry.getValue()))
                .count();
        if (committed > 0 && committed == asked.size()) {
            return Answer.COMMITTED;
        }
        return committed == 0 && !asked.isEmpty() ? Answer.ABORTED : Answer.UNKNOWN;
    }

    private static boolean isCommitted(@Nullable OffsetAndMetadata committed, long offset) {
        return committed != null && committed.offset() >= offset;
    }

    /** These partitions, or all with null, are somebody else's now, and so is the question how a commit of theirs ended. */
    void revoked(@Nullable Collection<TopicPartition> partitions) {
        for (Unanswered each : List.copyOf(unanswered)) {
            if (partitions == null || partitions.containsAll(each.offsets().keySet())) {
                each.executions().forEach(Execution::abandon);
                unanswered.remove(each);
            } else {
                partitions.forEach(each.offsets()::remove);
            }
        }
    }

    /** Tells listeners why claims were released. Never thrown. */
    private static final class RolledBackException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        RolledBackException() {
            super("the Kafka transaction was rolled back", null, false, false);
        }
    }
}
