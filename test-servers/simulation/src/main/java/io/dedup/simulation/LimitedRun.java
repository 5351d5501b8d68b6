package io.dedup.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One run in threads of its own, for a limited time. One that doesn't end is stuck, its threads are interrupted and abandoned, and
 * whoever asked for it goes on: no run can keep a build from ending.
 */
final class LimitedRun {
    private static final Duration WAIT = Duration.ofMillis(5);

    private final ThreadGroup threads;
    private final List<String> steps = Collections.synchronizedList(new ArrayList<>());
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile @Nullable Verdict verdict;
    private volatile @Nullable Throwable failure;

    private LimitedRun(Scenario scenario) {
        threads = new ThreadGroup("run of seed " + scenario.seed());
    }

    static Verdict of(Simulation simulation, Scenario scenario) {
        LimitedRun run = new LimitedRun(scenario);
        Thread thread = new Thread(run.threads, () -> run.run(simulation, scenario), "run");
        thread.setDaemon(true);
        thread.start();
        try {
            if (!run.endsWithin(simulation.limit())) {
                return run.stuck(scenario);
            }
        } catch (InterruptedException e) {
            run.threads.interrupt();
            throw new IllegalStateException(e);
        }
        return run.result();
    }

    /** In many short waits, which take longer where other processes have the cores: the run has as much more time there. */
    private boolean endsWithin(Duration limit) throws InterruptedException {
        boolean over = false;
        for (long waits = limit.dividedBy(WAIT); waits > 0 && !over; waits--) {
            over = ended.await(WAIT.toMillis(), TimeUnit.MILLISECONDS);
        }
        return over;
    }

    private void run(Simulation simulation, Scenario scenario) {
        try {
            verdict = simulation.run(scenario, steps);
        } catch (RuntimeException | Error e) {
            failure = e;
        } finally {
            ended.countDown();
        }
    }

    private Verdict result() {
        Verdict found = verdict;
        if (found == null) {
            throw new IllegalStateException("the run failed", failure);
        }
        return found;
    }

    private Verdict stuck(Scenario scenario) {
        List<String> all;
        synchronized (steps) {
            all = new ArrayList<>(steps);
        }
        all.add("---- the run doesn't end; its threads:");
        Thread.getAllStackTraces().forEach((thread, stack) -> {
            if (isOurs(thread, stack)) {
                all.add(thread.getName() + " " + thread.getState());
                Arrays.stream(stack).forEach(frame -> all.add("    at " + frame));
            }
        });
        threads.interrupt();
        return new Verdict(scenario, Set.of(), Map.of(), Set.of(), true, null, List.of(), all);
    }

    /** Simulated threads are carried by real ones that go from run to run. */
    private boolean isOurs(Thread thread, StackTraceElement[] stack) {
        return thread.getThreadGroup() == threads
                || (thread.getName().equals("simulated")
                        && Arrays.stream(stack)
                                .anyMatch(frame -> frame.getClassName().endsWith("Schedule$Turns")));
    }
}
