package io.dedup.kafka.internal.settlement;

import io.dedup.adapter.BatchAdmission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Execution;
import io.dedup.kafka.internal.WorkMayGoOn;
import java.util.List;
import java.util.Map;

/** One batch whose records are done when the handler returns. */
public final class AutomaticBatch<K, V> {
    private final BatchSteps<K, V> steps;
    private final DedupAdapter engine;
    private final BatchHandler<K, V> handler;

    public AutomaticBatch(BatchSteps<K, V> steps, BatchHandler<K, V> handler) {
        this.steps = steps;
        this.engine = steps.engine;
        this.handler = handler;
    }

    public void run() {
        BatchAdmission batch = engine.admitAll(steps.deliveries, steps.claimBudget());
        if (batch.isolate()) {
            steps.singly(this::runAlone);
            return;
        }
        try {
            run(BatchPlan.of(List.copyOf(batch.admissions()), Map.of()));
        } catch (Error e) { // before the handler was called, for example: nobody else would end the renewals of its
            // claims
            engine.failAll(BatchPlan.executions(batch), e);
            throw e;
        }
    }

    private void run(BatchPlan plan) {
        plan.giveBackBehindCut(engine);
        if (!plan.runs().isEmpty()) {
            runAll(plan);
        }
        if (plan.isCut()) {
            throw steps.cutAt(plan.cut(), plan.admissions().get(plan.cut()));
        }
    }

    private void runAll(BatchPlan plan) {
        List<Execution> executions = plan.executions();
        HandedBatch<K, V> handed = steps.hand(plan.runs());
        executions.forEach(Execution::begin);
        try {
            handler.handle(handed.list(), null);
        } catch (Throwable e) { // Errors, too: claims that nobody releases hold their messages for a lease
            throw failed(plan, executions, BatchFailure.of(e, handed), handed);
        }
        engine.succeedAll(executions, steps.budget); // whatever it says: the effects have happened, and may be acked
    }

    private RuntimeException failed(
            BatchPlan plan, List<Execution> executions, BatchFailure failure, HandedBatch<K, V> handed) {
        int proven = Math.max(0, failure.failed());
        if (proven > 0) {
            engine.succeedAll(executions.subList(0, proven), steps.budget);
        }
        boolean leaseLost = WorkMayGoOn.fail(engine, executions.subList(proven, executions.size()), failure.thrown());
        return steps.failed(plan, failure, handed, leaseLost);
    }

    private void runAlone(Execution execution, int index) {
        execution.begin();
        try {
            handler.handle(steps.hand(List.of(index)).list(), null);
        } catch (Throwable e) {
            if (WorkMayGoOn.fail(engine, List.of(execution), e) && !(e instanceof Error)) {
                throw steps.leaseLost(index, e);
            }
            throw steps.failedAlone(index, e);
        }
        execution.succeed(null, steps.budget);
    }
}
