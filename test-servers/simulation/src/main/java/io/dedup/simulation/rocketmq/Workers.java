package io.dedup.simulation.rocketmq;

import io.dedup.simulation.threads.Schedule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The threads of a simulated client. */
final class Workers {
    private final List<boolean[]> running = new ArrayList<>();

    /** Starts a thread, which ends with its process. */
    void start(String name, Runnable work) {
        boolean[] runs = {true};
        running.add(runs);
        new Thread(
                        () -> {
                            try {
                                work.run();
                            } catch (Member.Died e) {
                                return;
                            } finally {
                                runs[0] = false;
                            }
                        },
                        name)
                .start();
    }

    /** Waits until all have ended. */
    void awaitEnd(Duration atMost) {
        Schedule schedule = Schedule.current();
        boolean unused = schedule.await(() -> running.stream().noneMatch(runs -> runs[0]), atMost);
    }
}
