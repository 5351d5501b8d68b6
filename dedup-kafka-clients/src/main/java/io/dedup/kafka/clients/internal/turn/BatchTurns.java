package io.dedup.kafka.clients.internal.turn;

import static java.util.Objects.requireNonNull;

import io.dedup.adapter.Admission;
import io.dedup.adapter.BatchAdmission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Execution;
import io.dedup.adapter.HandlerRun;
import io.dedup.adapter.Settlement;
import io.dedup.adapter.WaitBudget;
import io.dedup.adapter.poll.ClaimedPoll;
import io.dedup.kafka.clients.internal.turn.Outcomes.SoughtBack;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles the new records of a poll with one call of the handler. After a failure, which names no record, each of them
 * has a call of its own.
 */
public final class BatchTurns {
    private static final Logger log = LoggerFactory.getLogger("io.dedup.kafka.clients.DedupPoll");

    private final DedupAdapter engine;
    private final RecordTurns turns;
    private final ClaimedPoll claims;
    private final Outcomes outcomes;
    /** The last record of each partition that was in a failed call. */
    private final Map<TopicPartition, Long> alone = new HashMap<>();

    public BatchTurns(DedupAdapter engine, RecordTurns turns, ClaimedPoll claims, Outcomes outcomes) {
        this.engine = engine;
        this.turns = turns;
        this.claims = claims;
        this.outcomes = outcomes;
    }

    /**
     * Handles these records.
     *
     * @return for how many of them the handler was successful
     * @throws Error what the handler has thrown; exceptions never leave this
     */
    public <K, V> int handle(List<Polled<K, V>> records, BatchWork<K, V> work, Deadline deadline) {
        if (!records.stream().anyMatch(this::isHandledAlone)) {
            BatchAdmission admitted =
                    engine.admitAll(records.stream().map(Polled::delivery).toList(), WaitBudget.none());
            if (!admitted.isolate()) {
                outcomes.newPoll();
                return new Batch<>(records, admitted.admissions()).handle(work);
            }
        }
        return turns.handle(records, (record, context) -> work.handle(List.of(record)), deadline);
    }

    /** Each record has a transaction of its own, too. */
    private boolean isHandledAlone(Polled<?, ?> polled) {
        return polled.delivery().topic().policy().mode().isTransactional()
                || polled.record().offset() <= alone.getOrDefault(polled.partition(), -1L);
    }

    /** The records of a poll and the decisions about them. */
    private final class Batch<K, V> {
        private final List<Polled<K, V>> records;
        private final List<Admission> admissions;
        /** The index of the first record of each partition that isn't handled now. */
        private final Map<TopicPartition, Integer> cuts = new HashMap<>();

        private final List<Integer> running = new ArrayList<>();
        /** The indexes of those that the handler has sought to or below; the others of its call are done. */
        private final Set<Integer> soughtBack = new HashSet<>();

        private @Nullable Throwable failure;
        private boolean leaseLost;

        Batch(List<Polled<K, V>> records, List<Admission> admissions) {
            this.records = records;
            this.admissions = admissions;
        }

        int handle(BatchWork<K, V> work) {
            try {
                plan();
            } catch (Throwable e) { // otherwise the claims would be renewed for maxProcessingTime
                admissions.forEach(BatchTurns::giveBack);
                throw e;
            }
            boolean successful = running.isEmpty() || run(work);
            for (int i = 0; i < records.size(); i++) {
                if (!records.get(i).in().isCut()) {
                    settle(i, successful);
                }
            }
            return successful ? running.size() : 0;
        }

        private void plan() {
            List<Execution> behindCuts = new ArrayList<>();
            boolean[] runs = new boolean[records.size()];
            for (int i = 0; i < records.size(); i++) {
                Admission admission = admissions.get(i);
                TopicPartition partition = records.get(i).partition();
                if (cuts.containsKey(partition)) {
                    if (admission instanceof Admission.Run run) {
                        behindCuts.add(run.execution());
                    }
                } else if (admission instanceof Admission.Run) {
                    runs[i] = true;
                    running.add(i);
                } else if (admission instanceof Admission.Defer
                        || admission instanceof Admission.Reject
                        || (admission instanceof Admission.Follow follow && !runs[follow.leader()])) {
                    cuts.put(partition, i);
                }
            }
            if (!behindCuts.isEmpty()) {
                boolean unused = engine.failAll(behindCuts, null);
            }
        }

        private boolean run(BatchWork<K, V> work) {
            List<Execution> executions = running.stream().map(this::executionOf).toList();
            List<ConsumerRecord<K, V>> handed =
                    running.stream().map(i -> records.get(i).record()).toList();
            return HandlerRun.runAll(
                    executions,
                    () -> {
                        work.handle(handed);
                        Predicate<Polled<?, ?>> isSoughtBack = outcomes.soughtBack(running.stream()
                                .map(i -> records.get(i).partition())
                                .collect(Collectors.toSet()));
                        running.stream()
                                .filter(i -> isSoughtBack.test(records.get(i)))
                                .forEach(soughtBack::add);
                        return null;
                    },
                    new Settlement<@Nullable Void, Boolean>() {
                        @Override
                        public Boolean succeeded(@Nullable Void result) {
                            running.stream()
                                    .filter(i -> !soughtBack.contains(i))
                                    .forEach(i -> claims.succeed(executionOf(i), WaitBudget.none()));
                            if (!soughtBack.isEmpty()) {
                                boolean unused = engine.failAll(
                                        soughtBack.stream()
                                                .map(each -> executionOf(each))
                                                .toList(),
                                        new SoughtBack());
                            }
                            return true;
                        }

                        @Override
                        public Boolean failed(Throwable thrown) {
                            leaseLost = engine.failAll(executions, thrown);
                            if (thrown instanceof Error error) {
                                throw error;
                            }
                            failure = thrown;
                            handleAloneFromNowOn(thrown);
                            return false;
                        }
                    });
        }

        private void handleAloneFromNowOn(Throwable thrown) {
            if (thrown instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            } else if (running.size() > 1) {
                log.warn(
                        "Batch handler failed with {} records, from {}; each of them is handed to it in a call of its"
                                + " own",
                        running.size(),
                        records.get(running.get(0)).delivery().origin().get(),
                        thrown);
                running.forEach(i -> alone.put(
                        records.get(i).partition(), records.get(i).record().offset()));
            }
        }

        private Execution executionOf(int index) {
            return ((Admission.Run) admissions.get(index)).execution();
        }

        /** In the order of the offsets. */
        private void settle(int index, boolean successful) {
            Polled<K, V> polled = records.get(index);
            Admission admission = admissions.get(index);
            boolean isCut = Integer.valueOf(index).equals(cuts.get(polled.partition()));
            if (admission instanceof Admission.Run && !successful && running.size() == 1) {
                outcomes.failed(polled, leaseLost, requireNonNull(failure));
            } else if (admission instanceof Admission.Run || admission instanceof Admission.Follow) {
                int handledAs = admission instanceof Admission.Follow follow ? follow.leader() : index;
                if (successful && !isCut && !soughtBack.contains(handledAs)) {
                    outcomes.handled(polled);
                } else {
                    outcomes.again(polled);
                }
            } else {
                outcomes.notRun(polled, admission);
            }
            if (isCut) {
                polled.in().cut();
            }
        }
    }

    private static void giveBack(Admission admission) {
        if (admission instanceof Admission.Run run) {
            run.execution().giveBack();
        }
    }
}
