package io.dedup.mutants.run;

import io.dedup.mutants.patch.Mutant;
import io.dedup.mutants.run.Judge.Judgment;
import io.dedup.mutants.run.MutatedClasses.NotMade;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Lets the simulation hunt for mutants. It is given no hint: its draws are fresh, and it stops at the first run that goes wrong. The
 * same seed must go wrong again, and must go well without the mutant, or else it has found something else.
 */
public final class Simulation {
    private static final String MODULE = "test-servers/simulation";
    private static final Pattern FOUND =
            Pattern.compile("^first bad: (.*), (\\d+) runs, (\\d+) s, seed (\\d+)$", Pattern.MULTILINE);
    private static final Pattern NOTHING = Pattern.compile("^none bad: (\\d+) runs, (\\d+) s$", Pattern.MULTILINE);
    /** Runs wait for timers: a second of CPU time may take longer. */
    private static final int SLOWER = 20;

    private static final int REPEATS = 3;
    private static final Duration ONE_RUN = Duration.ofMinutes(2);

    private final long cpuSeconds;
    private final MutatedClasses classes;
    private final ChildJvm jvm;

    /**
     * @param checkout the project's directory, where Maven has compiled the modules
     * @param directory where classes and logs are written
     * @param cpuSeconds the CPU time in which a mutant has to be found
     */
    public Simulation(Path checkout, Path directory, long cpuSeconds) {
        Checkout sources = new Checkout(checkout);
        this.cpuSeconds = cpuSeconds;
        this.classes = new MutatedClasses(sources, directory.toAbsolutePath());
        this.jvm = new ChildJvm(sources, directory.toAbsolutePath());
    }

    /** Hunts for this mutant. Its reason has the parts verdict, number of runs, CPU time and seed, with commas between them. */
    public Judgment judge(Mutant mutant) throws IOException, InterruptedException {
        Path mutated;
        try {
            mutated = classes.of(mutant);
        } catch (NotMade e) {
            return new Judgment(e.verdict(), String.valueOf(e.getMessage()), Duration.ZERO);
        }
        long runs = 0;
        long used = 0;
        while (used < cpuSeconds) {
            long left = cpuSeconds - used;
            String output = hunt(mutant, mutated, left);
            Matcher found = FOUND.matcher(output);
            Matcher nothing = NOTHING.matcher(output);
            if (!found.find()) {
                boolean ended = nothing.find();
                runs += ended ? Long.parseLong(nothing.group(1)) : 0;
                return new Judgment(
                        ended ? Verdict.SURVIVED : Verdict.TIMED_OUT,
                        "not found, " + runs + " runs, " + cpuSeconds + " s, ",
                        Duration.ofSeconds(cpuSeconds));
            }
            runs += Long.parseLong(found.group(2));
            used += Long.parseLong(found.group(3));
            String seed = found.group(4);
            if (goesWell(mutant, null, seed) && goesWrong(mutant, mutated, seed)) {
                return new Judgment(
                        Verdict.KILLED,
                        found.group(1) + ", " + runs + " runs, " + used + " s, seed " + seed,
                        Duration.ofSeconds(used));
            }
        }
        return new Judgment(
                Verdict.SURVIVED, "not found, " + runs + " runs, " + used + " s, ", Duration.ofSeconds(used));
    }

    /** A head says {@code Simulation: share: lost} for share groups, else only what is found. */
    private static String broker(Mutant mutant) {
        return String.valueOf(mutant.simulation()).startsWith("share:") ? "share" : "kafka";
    }

    private String hunt(Mutant mutant, Path mutated, long left) throws IOException, InterruptedException {
        List<String> command = jvm.command(MODULE, mutated);
        command.add(1, "-Dsimulation.broker=" + broker(mutant));
        command.add(1, "-Dsimulation.until-bad=" + left);
        command.addAll(List.of("io.dedup.simulation.Hunt", "0", String.valueOf(left * SLOWER), "0"));
        return Files.readString(
                jvm.run(command, MODULE, Duration.ofSeconds(left * SLOWER).plus(ONE_RUN), "hunt-" + mutant.name()));
    }

    /** Again, in one of a few repeats: threads and timers decide a little of what happens. */
    private boolean goesWrong(Mutant mutant, Path mutated, String seed) throws IOException, InterruptedException {
        for (int i = 0; i < REPEATS; i++) {
            if (!goesWell(mutant, mutated, seed)) {
                return true;
            }
        }
        return false;
    }

    /** @param mutated null without the mutant */
    private boolean goesWell(Mutant mutant, @Nullable Path mutated, String seed)
            throws IOException, InterruptedException {
        List<String> command = jvm.command(MODULE, mutated);
        command.add(1, "-Dsimulation.broker=" + broker(mutant));
        command.add(1, "-Dsimulation.shrink-seconds=0");
        command.addAll(List.of("io.dedup.simulation.Hunt", seed, "0", "0"));
        String log = (mutated == null ? "without-" : "again-") + mutant.name();
        return Files.readString(jvm.run(command, MODULE, ONE_RUN, log))
                .contains("seed " + seed + ": lost [], doubled {} ");
    }
}
