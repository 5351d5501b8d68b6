package io.dedup.testkit.plan;

import io.dedup.testkit.faults.PausedProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** The application's processes: JVMs with the class path of this one, which end when this one ends. */
final class AppProcesses implements AutoCloseable {
    private static final int MAX_ENDS = 5;
    private static final Duration STEPS_IN_TIME = Duration.ofSeconds(20);
    private static final int TAIL_LINES = 15;
    /** The consumers of one process join about at the same time. */
    private static final Duration NO_MORE_MEMBERS = Duration.ofMillis(500);

    private final AppCommand command;
    private final Path logs;
    private final Traffic traffic;
    private final History history;
    private final Duration atMost;
    private final List<App> apps = new ArrayList<>();
    private final Thread atExit = new Thread(this::destroy, "fault-plan-exit");
    private int ends;

    /** @param atMost how long a process may take from its start until it is a member of the group */
    AppProcesses(AppCommand command, Path logs, Traffic traffic, History history, Duration atMost) {
        this.command = command;
        this.logs = logs;
        this.traffic = traffic;
        this.history = history;
        this.atMost = atMost;
    }

    /** Returns when the processes are members of the group. */
    void start() {
        Runtime.getRuntime().addShutdownHook(atExit); // a paused process doesn't notice the end of this one
        for (int i = 0; i < DrawnPlan.PROCESSES; i++) {
            // Members that were killed before this run leave the group only when their sessions expire. A process may
            // be
            // several members: the next one is started when these have joined, so that none of them stands for it.
            apps.add(new App(i, traffic.members()));
            awaitAllOf(i);
        }
    }

    /** Waits until the process is in the group, and no more members have come for a while. */
    private void awaitAllOf(int which) {
        await(which, () -> hasJoined(which, traffic.members()));
        Set<String> before;
        do {
            before = Set.copyOf(traffic.members());
            Pause.of(NO_MORE_MEMBERS);
        } while (!before.equals(traffic.members()));
    }

    /** Waits until each current process is a member of the group and the group has assigned its partitions. */
    void awaitJoined() {
        for (int i = 0; i < apps.size(); i++) {
            int which = i;
            await(which, () -> hasJoined(which, traffic.members()) && traffic.isSettled());
        }
    }

    private boolean hasJoined(int which, Set<String> members) {
        return !apps.get(which).membersBefore.containsAll(members);
    }

    private void await(int which, BooleanSupplier condition) {
        long end = System.nanoTime() + atMost.toNanos();
        while (!condition.getAsBoolean()) {
            revive();
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException("The application hasn't joined its consumer group ("
                        + traffic.description() + ") within " + atMost + ". The end of its output:\n" + tail(which));
            }
            Pause.shortly();
        }
    }

    /** Restarts processes that have ended by themselves. */
    void revive() {
        for (int i = 0; i < apps.size(); i++) {
            Process process = apps.get(i).process;
            if (!process.isAlive()) {
                String what =
                        "process " + i + " (pid " + process.pid() + ") ended with exit value " + process.exitValue();
                if (++ends > MAX_ENDS) {
                    throw new IllegalStateException("The application has ended by itself " + ends
                            + " times; the last time, " + what + ". The end of its output:\n" + tail(i));
                }
                apps.set(i, new App(i, traffic.members()));
                Instant now = Instant.now();
                history.happened(
                        new History.Happening("END", now, now, what + " by itself, and was restarted as " + pid(i)));
            }
        }
    }

    /** Kills the process (SIGKILL) and starts a new one. */
    void kill(int which) {
        Process process = apps.get(which).process;
        Instant now = Instant.now();
        process.destroyForcibly().onExit().join();
        apps.set(which, new App(which, traffic.members()));
        history.happened(new History.Happening(
                Fault.KILL.name(),
                now,
                now,
                "process " + which + " (pid " + process.pid() + ") was killed, and restarted as " + pid(which)));
    }

    /**
     * Kills the process when this many more of its steps have run, and starts a new one. Kills it at once if they don't run in time:
     * it may have no {@link StepStops}, or no work.
     *
     * @return whether it was killed between two steps
     */
    boolean killBetweenSteps(int which, int steps) {
        Process process = apps.get(which).process;
        Instant from = Instant.now();
        boolean ended = false;
        try {
            process.getOutputStream().write(steps);
            process.getOutputStream().flush();
            ended = process.waitFor(STEPS_IN_TIME.toMillis(), TimeUnit.MILLISECONDS);
        } catch (IOException e) {
            // it has just ended by itself
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly().onExit().join();
        boolean hit = ended && process.exitValue() == StepStops.KILLED;
        String where = hit ? lastStep(which) : "";
        apps.set(which, new App(which, traffic.members()));
        history.happened(new History.Happening(
                Fault.KILL.name(),
                from,
                Instant.now(),
                "process " + which + " (pid " + process.pid() + ") was killed" + where + ", and restarted as "
                        + pid(which)));
        return hit;
    }

    private String lastStep(int which) {
        return tail(which)
                .lines()
                .filter(line -> line.contains(StepStops.OUTPUT))
                .reduce((first, last) -> last)
                .map(line ->
                        " after step " + line.substring(line.indexOf(StepStops.OUTPUT) + StepStops.OUTPUT.length()))
                .orElse("");
    }

    /** Pauses the process (SIGSTOP) for this long. */
    void pause(int which, Duration time) {
        Instant from = Instant.now();
        try (PausedProcess paused = PausedProcess.pause(apps.get(which).process.pid())) {
            Pause.of(time);
        }
        history.happened(new History.Happening(
                Fault.PAUSE.name(), from, Instant.now(), "process " + which + " (" + pid(which) + ") was paused"));
    }

    private String pid(int which) {
        return "pid " + apps.get(which).process.pid();
    }

    /** The file with the output of a process. */
    static Path log(Path directory, int which) {
        return directory.resolve("process-" + which + ".log");
    }

    private String tail(int which) {
        try {
            List<String> lines = new String(Files.readAllBytes(log(logs, which)), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
            return String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
        } catch (IOException e) {
            return "(cannot be read: " + e + ")";
        }
    }

    private void destroy() {
        for (App app : apps) {
            app.process.destroyForcibly().onExit().join();
        }
    }

    @Override
    public void close() {
        destroy();
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            // the shutdown hook is running
        }
    }

    private final class App {
        private final Process process;
        private final Set<String> membersBefore;

        App(int which, Set<String> membersBefore) {
            this.membersBefore = membersBefore;
            try {
                this.process = command.start(log(logs, which));
            } catch (IOException e) {
                throw new UncheckedIOException("Cannot start " + command, e);
            }
        }
    }
}
