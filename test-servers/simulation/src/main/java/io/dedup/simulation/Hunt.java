package io.dedup.simulation;

import com.sun.management.OperatingSystemMXBean;
import io.dedup.simulation.draw.Draws;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Runs one seed after another until the time is over, and prints each run that lost, doubled or blocked messages. */
public final class Hunt {
    private static final int SHRUNK = 3;
    private static final Duration SHRINK_FOR = Duration.ofSeconds(Long.getLong("simulation.shrink-seconds", 60));

    /** Only runs with these circumstances, such as {@code batch=true}. */
    private static final List<String> WITH =
            List.of(System.getProperty("simulation.with", "").split(","));

    /** If set: ends with the first bad run, or when the process has used so many seconds of CPU time. */
    private static final @Nullable Long UNTIL_BAD = Long.getLong("simulation.until-bad");

    /** If set: so many runs of 200 messages, one after another, whose CPU time is measured. */
    private static final int COST = Integer.getInteger("simulation.cost", 0);

    private static final int MESSAGES = 200;
    private static final Duration WARM_UP = Duration.ofSeconds(60);

    private static final OperatingSystemMXBean PROCESS =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private final Simulation simulation;
    private final AtomicLong seeds;
    private volatile long cpuMillis;
    private final AtomicInteger runs = new AtomicInteger();
    private final List<Verdict> bad = new CopyOnWriteArrayList<>();
    private final AtomicReference<@Nullable String> found = new AtomicReference<>();
    private final List<Throwable> errors = new CopyOnWriteArrayList<>();

    private Hunt(Simulation simulation, long firstSeed) {
        this.simulation = simulation;
        this.seeds = new AtomicLong(firstSeed);
    }

    /**
     * The command's arguments: a seed whose time line is printed, or 0 to hunt; for how many seconds; and the first seed of the
     * hunt, or 0 for a fresh one. With {@code -Dsimulation.scenarios} instead: a file of kept scenarios, which are all run.
     */
    public static void main(String[] arguments) throws InterruptedException {
        PrintStream out = System.out;
        Simulation simulation = Simulation.of(System.getProperty("simulation.broker", "kafka"));
        String scenarios = System.getProperty("simulation.scenarios", "");
        if (!scenarios.isEmpty()) {
            List<String> bad = bad(ScenarioText.read(scenarios, simulation), simulation);
            bad.forEach(out::println);
            System.exit(bad.isEmpty() ? 0 : 1);
        }
        if (COST > 0) {
            out.println(cost(simulation));
            System.exit(0);
        }
        long seed = Long.parseLong(arguments[0]);
        if (seed != 0) {
            Verdict verdict = simulation.run(simulation.scenario(seed));
            verdict.steps().forEach(out::println);
            out.println(verdict.line());
            if (verdict.isBad()) {
                out.println(shrunk(simulation, verdict));
            }
            System.exit(verdict.isBad() ? 1 : 0);
        }
        long first = Long.parseLong(arguments[2]);
        Hunt hunt = run(
                simulation,
                Duration.ofSeconds(Long.parseLong(arguments[1])),
                0,
                first == 0 ? System.nanoTime() : first);
        out.println(hunt.report());
        if (UNTIL_BAD != null) {
            out.println(hunt.untilBad());
            System.exit(hunt.isClean() ? 0 : 1);
        }
        hunt.shrunk().forEach(out::println);
        System.exit(hunt.isClean() ? 0 : 1);
    }

    /** Hunts for so long, and longer on a machine that doesn't try so many seeds until then, beginning with this one. */
    static Hunt run(Simulation simulation, Duration time, int leastSeeds, long firstSeed) throws InterruptedException {
        Hunt hunt = new Hunt(simulation, firstSeed);
        long end = System.nanoTime() + time.toNanos();
        long before = cpu().toMillis();
        Thread interrupted = new Thread(() -> {
            hunt.cpuMillis = cpu().toMillis() - before;
            System.out.println("interrupted: " + hunt.report());
        });
        Runtime.getRuntime().addShutdownHook(interrupted);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < simulation.runsAtOnce(); i++) {
            Thread thread = new Thread(() -> hunt.until(end, firstSeed + leastSeeds), "hunt");
            thread.setDaemon(true);
            threads.add(thread);
        }
        threads.forEach(Thread::start);
        for (Thread each : threads) {
            each.join(); // its last run ends within its limit
        }
        Runtime.getRuntime().removeShutdownHook(interrupted);
        hunt.cpuMillis = cpu().toMillis() - before;
        return hunt;
    }

    private void until(long end, long leastEnd) {
        while ((System.nanoTime() < end || seeds.get() < leastEnd) && !hasEnough()) {
            long seed = seeds.getAndIncrement();
            try {
                Scenario scenario = simulation.scenario(seed);
                if (!WITH.stream().allMatch(scenario.circumstances().toString()::contains)) {
                    continue;
                }
                Verdict verdict = simulation.run(scenario);
                runs.incrementAndGet();
                if (verdict.isBad()) {
                    found.compareAndSet(null, untilBad(verdict));
                    bad.add(verdict);
                    keep(verdict);
                }
            } catch (RuntimeException | Error e) {
                errors.add(new IllegalStateException("seed " + seed, e));
            }
        }
    }

    /** After other runs, which the compiler takes for itself. */
    private static String cost(Simulation simulation) throws InterruptedException {
        Hunt unused = run(simulation, WARM_UP, 0, 1);
        List<Long> micros = new ArrayList<>();
        for (long seed = 1; seed <= COST; seed++) {
            Circumstances circumstances =
                    Circumstances.draw(Draws.fixing(seed, Map.of("messages", MESSAGES - Circumstances.LEAST_MESSAGES)));
            long before = PROCESS.getProcessCpuTime();
            Verdict ignored = simulation.run(new Scenario(seed, circumstances, null));
            micros.add((PROCESS.getProcessCpuTime() - before) / 1_000);
        }
        micros.sort(null);
        return "CPU time of a run of " + MESSAGES + " messages: median " + micros.get(COST / 2)
                + " µs, nine of ten below " + micros.get(COST * 9 / 10) + " µs";
    }

    private boolean hasEnough() {
        return UNTIL_BAD != null && (!bad.isEmpty() || cpu().toSeconds() >= UNTIL_BAD);
    }

    /** What the mutants' command reads: how long it took until the first bad run. */
    private String untilBad(Verdict verdict) {
        return "first bad: " + String.join(" + ", verdict.kinds()) + ", " + runs + " runs, " + cpu().toSeconds()
                + " s, seed " + verdict.scenario().seed();
    }

    private String untilBad() {
        String first = found.get();
        return first == null ? "none bad: " + runs + " runs, " + cpu().toSeconds() + " s" : first;
    }

    /** All threads' together, of the whole process. */
    private static Duration cpu() {
        return Duration.ofNanos(PROCESS.getProcessCpuTime());
    }

    /** The time line as it was: threads and timers may give another one next time. */
    private static void keep(Verdict verdict) {
        String folder = System.getProperty("simulation.time-lines");
        if (folder != null) {
            try {
                Files.createDirectories(Path.of(folder));
                List<String> lines = new ArrayList<>(verdict.steps());
                lines.add(verdict.line());
                lines.addAll(verdict.happened());
                Files.write(Path.of(folder, verdict.scenario().seed() + ".txt"), lines);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** The kept scenarios that go wrong, with their time lines. */
    static List<String> bad(List<ScenarioText> scenarios, Simulation simulation) {
        List<String> bad = new ArrayList<>();
        for (ScenarioText each : scenarios) {
            Verdict verdict = simulation.run(each.scenario());
            if (verdict.isBad()) {
                bad.add(ScenarioText.write(each.name(), verdict));
            }
        }
        return bad;
    }

    /** The first bad runs, shrunk. */
    List<String> shrunk() {
        return bad.stream()
                .limit(SHRUNK)
                .map(verdict -> shrunk(simulation, verdict))
                .toList();
    }

    private static String shrunk(Simulation simulation, Verdict verdict) {
        return "\n" + ScenarioText.write("(what went wrong)", Shrinking.shrink(simulation, verdict, SHRINK_FOR));
    }

    boolean isClean() {
        return bad.isEmpty() && errors.isEmpty();
    }

    int runs() {
        return runs.get();
    }

    /** One line for each bad run, and the number of runs. */
    String report() {
        StringBuilder report = new StringBuilder();
        bad.forEach(verdict -> report.append(verdict.line()).append('\n'));
        errors.forEach(error -> report.append(error.getMessage())
                .append(": ")
                .append(error.getCause())
                .append('\n'));
        return report.append("runs ")
                .append(runs)
                .append(", bad ")
                .append(bad.size() + errors.size())
                .append(", ")
                .append(runs.get() == 0 ? 0 : cpuMillis / runs.get())
                .append(" ms of CPU each")
                .toString();
    }
}
