package io.dedup.kafka.internal.listener;

import static java.util.Objects.requireNonNull;

import io.dedup.DedupContext;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.adapter.Admission;
import io.dedup.adapter.BatchAdmission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.HandlerCall;
import io.dedup.adapter.HandlerRun;
import io.dedup.adapter.RunEnd;
import io.dedup.adapter.Settlement;
import io.dedup.adapter.TransactionalRun;
import io.dedup.adapter.WaitBudget;
import io.dedup.kafka.internal.KafkaLog;
import io.dedup.kafka.internal.consumer.BoundConsumer;
import io.dedup.kafka.internal.handler.Invocations.Invocation;
import io.dedup.kafka.internal.poll.PolledRecords;
import io.dedup.kafka.internal.record.RecordDeliveries;
import io.dedup.policy.DedupMode;
import io.dedup.policy.DedupPolicy;
import io.dedup.policy.TransactionSpan;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.support.KafkaUtils;

/**
 * Handles the next records of a poll in one database transaction, at the first one's turn ({@link TransactionSpan#POLL}).
 *
 * <ol>
 *   <li>the part: the records from this one on, up to the maximum, and up to the first that has to run alone
 *   <li>open the transaction, and write the records of the part with one statement; the part ends before the first one that is
 *       deferred or rejected
 *   <li>call the handlers, one after the other, until the time is over; take the rest out of the transaction
 *   <li>commit. The container acknowledges each record at its own turn, when it is known as handled
 * </ol>
 *
 * <p>Nothing here reports a failure to the container. A failure rolls everything back; the handlers before the one that failed are
 * called again in a second transaction, and that one runs alone at its turn, as without this class. If the failure
 * names no handler, such as that of a commit, each record of the part runs alone.
 */
final class PollTransaction<K, V> {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);
    /** With the second one only what precedes the record that has failed runs again. */
    private static final int ATTEMPTS = 2;

    private final RecordPipeline<K, V> pipeline;
    private final DedupAdapter engine;
    private final RecordDeliveries deliveries;

    PollTransaction(RecordPipeline<K, V> pipeline) {
        this.pipeline = pipeline;
        this.engine = pipeline.services.engine();
        this.deliveries = pipeline.services.deliveries();
    }

    /**
     * Handles this record, whose turn it is, with those behind it.
     *
     * @return whether it is handled; if not, it runs alone
     */
    boolean handles(ConsumerRecord<K, V> record, @Nullable Consumer<?, ?> consumer, BoundConsumer bound) {
        if (!spansPoll(record)) {
            return false;
        }
        PolledRecords polled = bound.watched().records();
        if (polled.takeHandled(record)) {
            return true;
        }
        polled.begun(record);
        List<ConsumerRecord<K, V>> part = part(record, bound);
        for (int attempt = 0; attempt < ATTEMPTS && part.size() > 1; attempt++) {
            int failed = new Attempt(part, consumer, bound).run();
            if (failed < 0) {
                return polled.takeHandled(record);
            }
            part = part.subList(0, failed);
            if (attempt > 0) {
                polled.runAlone(part);
            }
        }
        return false;
    }

    private boolean spansPoll(ConsumerRecord<?, ?> record) {
        DedupPolicy policy = deliveries.topic(record.topic()).policy();
        return policy.transaction() == TransactionSpan.POLL && policy.mode() == DedupMode.TRANSACTIONAL;
    }

    /** The records from this one on that may share a transaction. */
    private List<ConsumerRecord<K, V>> part(ConsumerRecord<K, V> record, BoundConsumer bound) {
        PolledRecords polled = bound.watched().records();
        int most = polled.most(deliveries.topic(record.topic()).policy().transactionMaxRecords());
        List<ConsumerRecord<K, V>> part = new ArrayList<>();
        for (ConsumerRecord<?, ?> each : polled.from(record)) {
            if (part.size() == most
                    || !spansPoll(each)
                    || polled.runsAlone(each)
                    || bound.deferred().contains(each)
                    || isUnreadable(each)) {
                break;
            }
            part.add(of(each));
        }
        return part;
    }

    @SuppressWarnings("unchecked") // polled by the container of this listener
    private ConsumerRecord<K, V> of(ConsumerRecord<?, ?> record) {
        return (ConsumerRecord<K, V>) record;
    }

    /** The container passes such a record to its error handler instead of the listener. */
    private static boolean isUnreadable(ConsumerRecord<?, ?> record) {
        return record.key() instanceof Exception
                || record.value() instanceof Exception
                || record.headers().lastHeader(KafkaUtils.KEY_DESERIALIZER_EXCEPTION_HEADER) != null
                || record.headers().lastHeader(KafkaUtils.VALUE_DESERIALIZER_EXCEPTION_HEADER) != null;
    }

    /** One transaction. */
    private final class Attempt implements HandlerCall<byte @Nullable []>, Settlement<byte @Nullable [], RunEnd> {
        private final List<ConsumerRecord<K, V>> part;
        private final @Nullable Consumer<?, ?> consumer;
        private final BoundConsumer bound;
        private BatchPlan plan = BatchPlan.of(List.of(), Map.of());
        private @Nullable TransactionalRun opened;
        /** The index in the part of the record whose handler is running; -1 outside of handlers. */
        private int running = -1;
        /** The index in the part behind those that the transaction handles. */
        private int end;

        Attempt(List<ConsumerRecord<K, V>> part, @Nullable Consumer<?, ?> consumer, BoundConsumer bound) {
            this.part = part;
            this.consumer = consumer;
            this.bound = bound;
        }

        /** Returns -1, or the index of the record that has failed and runs alone from now on. Throws a deferral of the first record. */
        int run() {
            TransactionalRun run = open();
            if (run == null) {
                followIfUnavailable();
            } else {
                RunEnd ended = HandlerRun.runAll(run.executions(), this, this);
                if (ended instanceof RunEnd.NotHandled notHandled && isUnavailable(notHandled.admission())) {
                    pipeline.notRun(part.get(0), notHandled.admission(), bound);
                }
                if (!(ended instanceof RunEnd.Handled)) {
                    return failed(ended);
                }
            }
            bound.watched().records().handled(part.subList(0, end));
            return -1;
        }

        /** Null if no handler is to be called, and no transaction is open. */
        private @Nullable TransactionalRun open() {
            int withId = 0;
            List<Delivery> claims = new ArrayList<>(part.size());
            while (withId < part.size()) {
                Delivery delivery = deliveries.of(part.get(withId));
                if (delivery.key() == null) {
                    break; // decided at its turn, where it counts once
                }
                claims.add(delivery);
                withId++;
            }
            BatchAdmission admitted = engine.admitAll(claims, WaitBudget.none());
            try {
                plan = BatchPlan.of(List.copyOf(admitted.admissions()), Map.of());
                plan.giveBackBehindCut(engine);
            } catch (Throwable e) {
                engine.failAll(Admission.executions(admitted.admissions()), null);
                throw e;
            }
            TransactionalRun run = null;
            if (!plan.runs().isEmpty()) {
                run = engine.open(plan.executions(), true, WaitBudget.none());
                plan = plan.decided(run.admissions());
            }
            end = plan.cut();
            opened = run;
            return plan.runs().isEmpty() ? null : run;
        }

        /** If the first record isn't in flight but cannot be decided, it is deferred without asking again. */
        private void followIfUnavailable() {
            Admission first =
                    plan.isCut() && plan.cut() == 0 ? plan.admissions().get(0) : null;
            if (first != null && isUnavailable(first)) {
                pipeline.notRun(part.get(0), first, bound);
            }
        }

        private static boolean isUnavailable(Admission admission) {
            return admission instanceof Admission.Defer defer
                    && (defer.reason() == DeferReason.STORE_UNAVAILABLE
                            || defer.reason() == DeferReason.COMMIT_UNKNOWN);
        }

        /** The handlers, one after the other. */
        @Override
        public byte @Nullable [] call() {
            long most = deliveries
                    .topic(part.get(0).topic())
                    .policy()
                    .transactionMaxTime()
                    .toNanos();
            long begun = System.nanoTime();
            List<Integer> runs = plan.runs();
            bound.soughtBack().begin();
            try {
                for (int i = 0; i < runs.size(); i++) {
                    if (i > 0 && System.nanoTime() - begun >= most) {
                        running = -1;
                        requireNonNull(opened).keepFirst(i);
                        end = runs.get(i);
                        break;
                    }
                    running = runs.get(i);
                    handle(part.get(running), plan.execution(running));
                }
            } finally {
                bound.soughtBack().end();
            }
            if (!bound.soughtBack().isEmpty()) {
                running = -1;
                throw new IllegalStateException("A handler has sought back, so that its record isn't handled");
            }
            running = -1;
            return null;
        }

        private void handle(ConsumerRecord<K, V> record, Execution execution) {
            Object before = execution.enter(null);
            bound.takenFailure().begin();
            try {
                pipeline.call(record, new OfPoll(execution, bound), null, consumer);
                bound.takenFailure().requireNone(false);
            } finally {
                execution.leave(before);
            }
        }

        @Override
        public RunEnd succeeded(byte @Nullable [] result) {
            return requireNonNull(opened).succeeded(result);
        }

        /** Isn't reported as a failure of any message: each is handled again at once. */
        @Override
        public RunEnd failed(Throwable thrown) {
            if (requireNonNull(opened).rollBack(thrown)) {
                running = -1; // another transaction is to blame, and no handler
            }
            return new RunEnd.Failed(thrown);
        }

        private int failed(RunEnd ended) {
            Throwable cause = ended instanceof RunEnd.Failed failed
                    ? failed.cause()
                    : ended instanceof RunEnd.NotHandled notHandled
                                    && notHandled.admission() instanceof Admission.Defer defer
                            ? defer.cause()
                            : null;
            List<ConsumerRecord<K, V>> alone = part;
            if (running < 0) {
                bound.watched().records().undone(part.size());
            } else {
                alone = List.of(part.get(running));
            }
            bound.watched().records().runAlone(alone);
            ConsumerRecord<K, V> first = alone.get(0);
            log.info(
                    "Rolled back the transaction of {} records of a poll; {} of them, from topic {}, partition {}, offset {}"
                            + " on, run alone now",
                    end,
                    alone.size(),
                    first.topic(),
                    first.partition(),
                    first.offset(),
                    cause);
            return Math.max(0, running);
        }
    }

    /** The call of one record's handler. */
    private record OfPoll(Execution execution, BoundConsumer bound) implements Invocation {
        @Override
        public DedupContext context() {
            return execution;
        }

        @Override
        public boolean isOnThisThread() {
            return bound.isOnItsThread();
        }
    }
}
