package io.dedup.simulation.store;

import io.dedup.DedupStoreException;
import io.dedup.simulation.draw.Draws;
import io.dedup.simulation.threads.Schedule;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/** Times in which the store answers nobody, and calls that take long, in simulated time. */
public final class StoreOutage {
    private final Draws draws;
    private final Consumer<String> steps;
    private final Runnable failed;
    private final Runnable slow;
    private final Map<String, Integer> calls = new HashMap<>();
    private long since;
    private long until;

    /**
     * @param failed called when the store doesn't answer
     * @param slow called when it takes long
     */
    public StoreOutage(Draws draws, Consumer<String> steps, Runnable failed, Runnable slow) {
        this.draws = draws;
        this.steps = steps;
        this.failed = failed;
        this.slow = slow;
    }

    public void begin(Duration time) {
        long now = Schedule.current().nanoTime();
        since = now < until ? since : now;
        until = now + time.toNanos();
        steps.accept("the store is down for " + time.toMillis() + " ms");
        failed.run();
    }

    /** Whether the store has answered nobody from then until now. */
    public boolean isDownSince(long nanoTime) {
        return since < nanoTime && Schedule.current().nanoTime() < until;
    }

    /** A process is about to call the store. */
    public void before(String call) {
        Schedule schedule = Schedule.current();
        schedule.mayHandOver();
        if (schedule.nanoTime() < until) {
            schedule.sleep(Duration.ofMillis(20));
            failed.run();
            throw new DedupStoreException("simulated: the store is down", null);
        }
        if (draws.happens("the store is slow", "at " + call + " " + calls.merge(call, 1, Integer::sum))) {
            long millis = 50L * (1 + draws.below(60, "how slow " + call));
            steps.accept("the store takes " + millis + " ms to " + call);
            slow.run();
            schedule.sleep(Duration.ofMillis(millis));
        }
    }
}
