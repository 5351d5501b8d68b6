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
import java.util.function.BooleanSupplier;

/** The application's processes: JVMs with the class path of this one, which end with it. */
final class AppProcesses implements AutoCloseable {
    private static final int MAX_ENDS = 5;
    private static final int TAIL_LINES = 15;

    private final AppCommand command;
    private final Path logs;
    private final Traffic traffic;
    private final History history;
    private final Duration atMost;
    private final List<App> apps = new ArrayList<>();
    private final Thread atExit = new Thread(this::destroy, "fault-plan-exit");
    private int ends;

    /** @param atMost how long one may take from its start to its membership in the group */
    AppProcesses(AppCommand command, Path logs, Traffic traffic, History history, Duration atMost) {
        this.command = command;
        this.logs = logs;
        this.traffic = traffic;
        this.history = history;
        this.atMost = atMost;
    }

    /** Returns when they are in the group. */
    void start() {
        Runtime.getRuntime().addShutdownHook(atExit); // one that is paused doesn't see our end
        // Members of an application that was killed before this run leave the group only when their sessions are over.
        Set<String> before = Set.copyOf(traffic.members());
        for (int i = 0; i < DrawnPlan.PROCESSES; i++) {
            apps.add(new App(i, Set.of()));
        }
        await(
                0,
                () -> traffic.members().stream()
                                .filter(member -> !before.contains(member))
                                .count()
                        >= DrawnPlan.PROCESSES);
    }

    /** Waits until each of them, as it is now, is in the group, and the group has shared its partitions. */
    void awaitJoined() {
        for (int i = 0; i < apps.size(); i++) {
            int which = i;
            await(which, () -> {
                App app = apps.get(which);
                return traffic.members().stream().anyMatch(member -> !app.membersBefore.contains(member))
                        && traffic.isSettled();
            });
        }
    }

    private void await(int which, BooleanSupplier condition) {
        long end = System.nanoTime() + atMost.toNanos();
        while (!condition.getAsBoolean()) {
            revive();
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException("the application hasn't joined the group of " + traffic.description()
                        + " within " + atMost + "; the end of its output:\n" + tail(which));
            }
            Pause.shortly();
        }
    }

    /** Starts those again that have ended by themselves. */
    void revive() {
        for (int i = 0; i < apps.size(); i++) {
            Process process = apps.get(i).process;
            if (!process.isAlive()) {
                String what =
                        "process " + i + " (pid " + process.pid() + ") ended with exit value " + process.exitValue();
                if (++ends > MAX_ENDS) {
                    throw new IllegalStateException("the application has ended by itself " + ends + " times; " + what
                            + "; the end of its output:\n" + tail(i));
                }
                apps.set(i, new App(i, traffic.members()));
                Instant now = Instant.now();
                history.happened(new History.Happening(
                        "END", now, now, what + " by itself, and was started again as " + pid(i)));
            }
        }
    }

    /** SIGKILL, and a new one. */
    void kill(int which) {
        Process process = apps.get(which).process;
        Instant now = Instant.now();
        process.destroyForcibly().onExit().join();
        apps.set(which, new App(which, traffic.members()));
        history.happened(new History.Happening(
                Fault.KILL.name(),
                now,
                now,
                "process " + which + " (pid " + process.pid() + "), started again as " + pid(which)));
    }

    /** SIGSTOP for so long. */
    void pause(int which, Duration time) {
        Instant from = Instant.now();
        try (PausedProcess paused = PausedProcess.pause(apps.get(which).process.pid())) {
            Pause.of(time);
        }
        history.happened(new History.Happening(
                Fault.PAUSE.name(), from, Instant.now(), "process " + which + " (" + pid(which) + ") stood still"));
    }

    private String pid(int which) {
        return "pid " + apps.get(which).process.pid();
    }

    /** Where a process's output goes. */
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
            return "none, " + e;
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
            // it is running
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
                throw new UncheckedIOException("can't start " + command, e);
            }
        }
    }
}
