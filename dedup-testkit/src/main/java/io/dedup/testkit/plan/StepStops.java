package io.dedup.testkit.plan;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.step.StepOutcome;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Lets fault plans kill a process between two steps of a handler: when a step has been kept, and before the next one begins.
 * Register one with the application's deduplicators; in a Spring Boot application it is registered if this library is on the
 * class path. Does nothing in processes that no fault plan has started.
 */
public final class StepStops implements DedupListener {
    static final String OUTPUT = "Fault plan: this process is killed after step ";
    static final int KILLED = 137;

    /** How many more steps run in this process; 0 if no end is planned. A process has one plan. */
    private static final AtomicInteger LEFT = new AtomicInteger();

    private static final AtomicBoolean STARTED_BY_PLAN = new AtomicBoolean();

    /** Whether a fault plan has started this process. */
    public static boolean inFaultPlan() {
        return STARTED_BY_PLAN.get();
    }

    static void startedByPlan() {
        STARTED_BY_PLAN.set(true);
    }

    /** Plans the end of this process: when this many more steps have run. */
    static void after(int steps) {
        LEFT.set(steps);
    }

    @Override
    public void step(DedupKey key, String name, StepOutcome outcome) {
        if (outcome == StepOutcome.RUN && LEFT.get() > 0 && LEFT.decrementAndGet() == 0) {
            System.out.println(OUTPUT + name + " of message ID " + key);
            System.out.flush();
            Runtime.getRuntime().halt(KILLED); // as SIGKILL: nothing in this process can clean up
        }
    }
}
