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
 * Commits of one consumer's Kafka transactions that got no answer, with what was handled in them. Used by the
 * consumer's thread only.
 *
 * <p>The group's committed offset is part of the transaction. It shows how a commit ended whose answer was lost,
 * because the broker returns a committed offset only when no open transaction may still move it.
 */
public final class UnansweredCommits {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);
    private static final Duration ASKING = Duration.ofSeconds(1);

    /** What is known about commits that got no answer. */
    public enum Answer {
        NOTHING_OPEN,
        COMMITTED,
        ABORTED,
        UNKNOWN
    }

    /**
     * The executions that are done if the committed offsets are at least these.
     *
     * @param most beyond which the commit cannot have moved them
     * @param before where the group stood before, as far as this consumer knows
     */
    private record Unanswered(
            List<Execution> executions,
            Map<TopicPartition, Long> offsets,
            Map<TopicPartition, Long> most,
            Map<TopicPartition, Long> before) {
        /**
         * Of these partitions, those in which the commit moves the group on, so that its offset shows how the commit has ended: a
         * transaction commits all or nothing.
         */
        Map<TopicPartition, Long> moving(Map<TopicPartition, Long> some) {
            Map<TopicPartition, Long> moving = new HashMap<>(some);
            moving.entrySet().removeIf(each -> before.getOrDefault(each.getKey(), -1L) >= each.getValue());
            return moving;
        }

        /**
         * In a replay, an offset beyond is the one from before: as long as it is there, the commit hasn't happened. One that was there
         * before shows nothing: if the messages are handled again, none is lost.
         */
        Map<TopicPartition, OffsetAndMetadata> without(Map<TopicPartition, OffsetAndMetadata> committed) {
            Map<TopicPartition, OffsetAndMetadata> moved = new HashMap<>(committed);
            moved.entrySet()
                    .removeIf(entry -> entry.getValue() != null
                            && (entry.getValue().offset() > most.getOrDefault(entry.getKey(), Long.MAX_VALUE)
                                    || entry.getValue().offset() == before.getOrDefault(entry.getKey(), -1L)));
            return moved;
        }
    }

    /** Goes on asking about a commit when its consumer no longer has the partitions. */
    @FunctionalInterface
    public interface Inquirer {
        void ask(List<Execution> executions, Map<TopicPartition, Long> offsets);
    }

    private final DedupAdapter engine;
    private final Inquirer inquirer;
    private final List<Unanswered> unanswered = new ArrayList<>();
    /** Where the group stands, as far as this consumer has committed or seen it. */
    private final Map<TopicPartition, Long> known = new HashMap<>();

    UnansweredCommits(DedupAdapter engine, Inquirer inquirer) {
        this.engine = engine;
        this.inquirer = inquirer;
    }

    /**
     * The commit of these failed, and it isn't known whether it took effect.
     *
     * @param most beyond which it cannot have moved the offsets; a partition without an entry has no such limit
     */
    void add(List<Execution> executions, Map<TopicPartition, Long> offsets, Map<TopicPartition, Long> most) {
        Map<TopicPartition, Long> before = new HashMap<>(known);
        before.keySet().retainAll(offsets.keySet());
        unanswered.add(new Unanswered(List.copyOf(executions), new HashMap<>(offsets), most, before));
    }

    /** The group stands at these offsets now. */
    void committed(Map<TopicPartition, Long> offsets) {
        known.putAll(offsets);
    }

    /** Whether a commit that got no answer concerns these records' partitions. */
    boolean concern(Collection<? extends ConsumerRecord<?, ?>> records) {
        return !concerning(records).isEmpty();
    }

    /** Finds out how these commits ended: completes what has committed, and releases what hasn't. */
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
        if (answer == Answer.COMMITTED || answer == Answer.ABORTED) {
            settle(engine, each.executions(), answer, budget);
            if (answer == Answer.COMMITTED) {
                committed(each.offsets());
            }
        } else if (each.executions().stream().anyMatch(Execution::leaseLost)) {
            each.executions().forEach(Execution::abandon); // too late: whoever has taken over decides
        } else {
            return answer;
        }
        unanswered.remove(each);
        return answer == Answer.UNKNOWN ? Answer.NOTHING_OPEN : answer;
    }

    /** Completes what has committed, and releases what was aborted. */
    static void settle(DedupAdapter engine, List<Execution> executions, Answer answer, WaitBudget budget) {
        if (answer == Answer.COMMITTED) {
            engine.succeedAll(executions, budget);
        } else {
            engine.failAll(executions, new TransactionWork.RolledBackException());
        }
    }

    private static Answer answer(Unanswered open, Consumer<?, ?> consumer) {
        Map<TopicPartition, Long> asked = new HashMap<>(open.offsets());
        asked.keySet()
                .retainAll(consumer.assignment()); // another consumer may have moved the offsets of other partitions
        Map<TopicPartition, OffsetAndMetadata> answers;
        try {
            answers = consumer.committed(asked.keySet(), ASKING);
        } catch (RuntimeException e) { // for example a timeout while the transaction is open
            log.debug("Cannot read the committed offsets of {} yet", asked.keySet(), e);
            return Answer.UNKNOWN;
        }
        Map<TopicPartition, Long> moving = open.moving(asked);
        return answer(moving.isEmpty() ? asked : moving, open.without(answers));
    }

    /** What these committed offsets say about a commit that moves them to at least the offsets that were asked for. */
    static Answer answer(Map<TopicPartition, Long> asked, Map<TopicPartition, OffsetAndMetadata> answers) {
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

    /** These partitions, or all if null, belong to another consumer now. */
    void revoked(@Nullable Collection<TopicPartition> partitions) {
        if (partitions == null) {
            known.clear();
        } else {
            known.keySet().removeAll(partitions);
        }
        for (Unanswered each : List.copyOf(unanswered)) {
            if (partitions == null || partitions.containsAll(each.offsets().keySet())) {
                unanswered.remove(each);
                Map<TopicPartition, Long> moving = each.moving(each.offsets());
                if (moving.isEmpty()) { // whoever asks later finds the offset from before
                    each.executions().forEach(Execution::abandon);
                } else {
                    inquirer.ask(each.executions(), moving);
                }
            } else {
                partitions.forEach(each.offsets()::remove);
            }
        }
    }
}
