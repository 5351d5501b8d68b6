package io.dedup.internal.run;

import io.dedup.adapter.HandlerCall;
import io.dedup.adapter.HandlerRun;
import io.dedup.adapter.RunEnd;
import io.dedup.adapter.Settlement;
import io.dedup.adapter.WaitBudget;
import io.dedup.adapter.Work;
import org.jspecify.annotations.Nullable;

/**
 * A single run, settled when its handler returns: completes or releases its claim. Also calls the handler, because
 * every message needs this object.
 */
public final class LeasedRun implements HandlerCall<byte @Nullable []>, Settlement<byte @Nullable [], RunEnd> {
    private final AdmittedRun run;
    private final Work work;
    private final WaitBudget budget;

    public LeasedRun(AdmittedRun run, Work work, WaitBudget budget) {
        this.run = run;
        this.work = work;
        this.budget = budget;
    }

    @Override
    public byte @Nullable [] call() throws Throwable {
        return work.run(run);
    }

    @Override
    public RunEnd succeeded(byte @Nullable [] result) {
        return RunEnd.Handled.with(run.succeed(result, budget));
    }

    @Override
    public RunEnd failed(Throwable thrown) {
        return HandlerRun.isDeferral(run.fail(thrown), thrown)
                ? RunEnd.NotHandled.leaseLost(run.topic().policy().maxDeferDelay(), thrown)
                : new RunEnd.Failed(thrown);
    }
}
