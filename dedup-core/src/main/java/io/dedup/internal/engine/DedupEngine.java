package io.dedup.internal.engine;

import io.dedup.DedupKey;
import io.dedup.DedupOutcome.Completion;
import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.adapter.Admission;
import io.dedup.adapter.BatchAdmission;
import io.dedup.adapter.ClaimsAhead;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.HandlerCall;
import io.dedup.adapter.HandlerRun;
import io.dedup.adapter.Results;
import io.dedup.adapter.RunEnd;
import io.dedup.adapter.Settlement;
import io.dedup.adapter.TransactionalRun;
import io.dedup.adapter.WaitBudget;
import io.dedup.adapter.Work;
import io.dedup.internal.run.AdmittedRun;
import io.dedup.internal.run.LeasedRun;
import io.dedup.policy.DedupMode;
import io.dedup.privacy.Erasure;
import io.dedup.store.transaction.TransactionalRecords;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Admits deliveries, runs their handlers and settles the runs. There is one for each deduplicator; it has its own
 * threads and does not own the store. Thread-safe.
 */
public final class DedupEngine implements DedupAdapter, AutoCloseable {
    private final EngineParts parts;
    private final @Nullable TransactionalRecords records;
    private final Map<String, String> groups = new ConcurrentHashMap<>();

    public DedupEngine(EngineSettings settings) {
        this.parts = EngineParts.of(settings);
        this.records = settings.records();
    }

    @Override
    public Admission admit(Delivery delivery, WaitBudget budget) {
        return parts.admissions().admit(delivery, budget);
    }

    @Override
    public ClaimsAhead ahead() {
        return parts.ahead();
    }

    @Override
    public BatchAdmission admitAll(List<Delivery> deliveries, WaitBudget budget) {
        return parts.admissions().admitAll(deliveries, budget);
    }

    @Override
    public RunEnd run(Execution execution, Work work, WaitBudget budget) {
        LeasedRun leased = new LeasedRun((AdmittedRun) execution, work, budget);
        return run(execution, work, leased, leased, budget);
    }

    @Override
    public RunEnd run(Execution execution, Work work, Settlement<byte @Nullable [], RunEnd> leased, WaitBudget budget) {
        return run(execution, work, () -> work.run(execution), leased, budget);
    }

    /** The one place that decides whether a single run has a transaction. */
    private RunEnd run(
            Execution execution,
            Work work,
            HandlerCall<byte @Nullable []> leasedCall,
            Settlement<byte @Nullable [], RunEnd> leased,
            WaitBudget budget) {
        if (!execution.isTransactional()) {
            return HandlerRun.run(execution, leasedCall, leased);
        }
        // Nothing is created between the opening and the handler: what an OutOfMemoryError left open would stay open.
        Execution[] opened = {execution};
        HandlerCall<byte @Nullable []> call = () -> work.run(opened[0]);
        TransactionalRun run = open(List.of(execution), true, budget);
        Admission admission = run.admissions().get(0);
        if (!(admission instanceof Admission.Run admitted)) {
            return new RunEnd.NotHandled(admission);
        }
        opened[0] = admitted.execution(); // another one, if its record has shown that it runs unguarded
        return HandlerRun.run(opened[0], call, run);
    }

    @Override
    public TransactionalRun open(List<Execution> executions, boolean ordered, WaitBudget budget) {
        return parts.endings().transactions().open(runs(executions), ordered, budget);
    }

    @Override
    public Results results() {
        return parts.endings().results();
    }

    @Override
    public @Nullable TransactionalRecords records() {
        return records;
    }

    @Override
    public Executor settlements() {
        return parts.endings().threads();
    }

    @Override
    public List<Completion> succeedAll(List<Execution> executions, WaitBudget budget) {
        List<AdmittedRun> runs = runs(executions);
        runs.forEach(AdmittedRun::requireNoTransaction);
        return parts.endings().claims().succeedAll(runs, budget);
    }

    @Override
    public boolean failAll(List<Execution> executions, @Nullable Throwable cause) {
        return parts.endings().claims().releaseAll(runs(executions), cause);
    }

    /** Only this engine creates executions, so a list of them needs no copy. */
    @SuppressWarnings("unchecked")
    private static List<AdmittedRun> runs(List<Execution> executions) {
        return (List<AdmittedRun>) (List<?>) executions;
    }

    @Override
    public void ping() {
        parts.availability().ping();
    }

    @Override
    public void ping(DedupMode mode) {
        parts.availability().ping(mode);
    }

    /** An operator's command, see {@link io.dedup.Deduplicator#forget}. */
    public OperatorResult forget(DedupKey key, DedupMode mode, LiveLease liveLease) {
        return parts.commands().forget().run(key, mode, liveLease);
    }

    /** An operator's command, see {@link io.dedup.Deduplicator#erase}. */
    public Erasure erase(Set<String> storedIds, LiveLease liveLease) {
        return parts.commands().erase().run(storedIds, liveLease);
    }

    @Override
    public String firstGroup(String topic, String group) {
        String first = groups.putIfAbsent(topic, group);
        return first == null ? group : first;
    }

    @Override
    public int inFlight() {
        return parts.shutdown().inFlight();
    }

    @Override
    public boolean isHandling(DedupKey key) {
        return parts.heartbeat().isHandling(key);
    }

    @Override
    public int pendingCompletions() {
        return parts.background().pendingCompletions();
    }

    @Override
    public int pendingWrites() {
        return parts.background().pendingWrites();
    }

    /**
     * Stops accepting messages, waits for running handlers while their leases are renewed, then stops the heartbeat and
     * tries for a few seconds to record what the store has not recorded.
     */
    @Override
    public void close() {
        closeAll(List.of(this));
    }

    /** Closes several engines as {@link #close} closes one; their waits overlap and take as long as the longest. */
    public static void closeAll(Collection<DedupEngine> engines) {
        Shutdown.all(engines.stream().map(engine -> engine.parts.shutdown()).toList());
        engines.forEach(engine -> engine.parts.endings().threads().close());
    }
}
