package io.dedup.internal.run;

import io.dedup.adapter.HandlerRun;
import io.dedup.adapter.RunEnd;
import io.dedup.adapter.Settlement;
import io.dedup.adapter.WaitBudget;
import org.jspecify.annotations.Nullable;

/** Settles a single run at its handler's return: completes its claim, or releases it. */
public final class LeasedRun implements Settlement<byte @Nullable [], RunEnd> {
    private final AdmittedRun run;
    private final WaitBudget budget;

    public LeasedRun(AdmittedRun run, WaitBudget budget) {
        this.run = run;
        this.budget = budget;
    }

    @Override
    public RunEnd succeeded(byte @Nullable [] result) {
        return new RunEnd.Handled(run.succeed(result, budget));
    }

    @Override
    public RunEnd failed(Throwable thrown) {
        return HandlerRun.isDeferral(run.fail(thrown), thrown)
                ? RunEnd.NotRun.leaseLost(run.topic().policy().maxDeferDelay(), thrown)
                : new RunEnd.Failed(thrown);
    }
}
