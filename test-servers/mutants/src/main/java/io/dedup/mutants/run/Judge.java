package io.dedup.mutants.run;

import io.dedup.mutants.killer.TestEnd;
import io.dedup.mutants.patch.Mutant;
import io.dedup.mutants.patch.TestName;
import io.dedup.mutants.run.KillerJvm.Outcome;
import io.dedup.mutants.run.MutatedClasses.NotMade;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Runs mutants and decides whether they were killed. */
public final class Judge {
    /** The result of a mutant, and why: the message of its test, the compiler or the patch. */
    public record Judgment(Verdict verdict, String why, Duration took) {}

    private static final Pattern NOT_LINKED = Pattern.compile(
            "NoSuchMethodError|NoSuchFieldError|IllegalAccessError|IncompatibleClassChange|VerifyError");

    /** Servers that several classes share are started by a class's initialization, which may fail on a slow machine. */
    private static final Pattern NO_SERVER =
            Pattern.compile("^java\\.lang\\.(ExceptionInInitializerError|NoClassDefFoundError)");

    private final Duration timeout;
    private final String commit;
    private final Path passing;
    private final MutatedClasses classes;
    private final KillerJvm jvm;
    private final Map<TestName, Outcome> without = new HashMap<>();

    /**
     * @param checkout the project's directory, where Maven has compiled the modules and their tests
     * @param directory where classes and logs are written
     * @param timeout for one test, with the start of its servers
     */
    public Judge(Path checkout, Path directory, Duration timeout) {
        Checkout sources = new Checkout(checkout);
        Path work = directory.toAbsolutePath();
        this.timeout = timeout;
        this.commit = sources.commit();
        this.passing = work.resolve("passing-without.txt");
        this.classes = new MutatedClasses(sources, work);
        this.jvm = new KillerJvm(sources, work);
    }

    /** The commit of the checkout, with a mark if something was changed since. */
    public String commit() {
        return commit;
    }

    /**
     * Runs tests without mutants: a test that doesn't pass cannot kill. Tests of a module share a JVM and its servers. What has passed in
     * this commit isn't run again.
     */
    public void runWithout(Collection<TestName> tests) throws IOException, InterruptedException {
        Map<String, List<TestName>> byModule = new TreeMap<>();
        Set<String> known = Files.exists(passing) ? new HashSet<>(Files.readAllLines(passing)) : Set.of();
        for (TestName test : new LinkedHashSet<>(tests)) {
            if (known.contains(line(test))) {
                without.put(test, new Outcome(TestEnd.PASSED, ""));
            } else {
                byModule.computeIfAbsent(test.module(), module -> new ArrayList<>())
                        .add(test);
            }
        }
        for (Map.Entry<String, List<TestName>> each : byModule.entrySet()) {
            System.out.println(each.getValue().size() + " tests of " + each.getKey() + " without mutants");
            Map<TestName, Outcome> outcomes = jvm.run(
                    each.getKey(),
                    each.getValue(),
                    null,
                    timeout.multipliedBy(each.getValue().size()),
                    "without-" + each.getKey().replace('/', '-'));
            without.putAll(outcomes);
            Files.write(
                    passing,
                    each.getValue().stream()
                            .filter(test -> passes(outcomes.get(test)))
                            .map(this::line)
                            .toList(),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        }
    }

    private String line(TestName test) {
        return commit + " " + test;
    }

    private static boolean passes(@Nullable Outcome outcome) {
        return outcome != null && outcome.end() == TestEnd.PASSED;
    }

    /** Runs this mutant, whose test has been run without it. */
    public Judgment judge(Mutant mutant) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        Outcome before = without.get(mutant.killer());
        if (!passes(before)) {
            return new Judgment(
                    Verdict.TEST_SAYS_NOTHING,
                    before == null ? "doesn't end without the mutant" : before.end() + " " + before.message(),
                    since(begin));
        }
        try {
            Path mutated = classes.of(mutant);
            Outcome with = jvm.run(mutant.killer().module(), List.of(mutant.killer()), mutated, timeout, mutant.name())
                    .get(mutant.killer());
            return new Judgment(verdict(mutant, with), with == null ? "doesn't end" : with.message(), since(begin));
        } catch (NotMade e) {
            return new Judgment(e.verdict(), String.valueOf(e.getMessage()), since(begin));
        }
    }

    private static Verdict verdict(Mutant mutant, @Nullable Outcome with) {
        if (with == null) {
            return mutant.timeoutKills() ? Verdict.KILLED : Verdict.TIMED_OUT;
        }
        if (NO_SERVER.matcher(with.message()).find()) {
            return Verdict.TEST_SAYS_NOTHING;
        }
        return switch (with.end()) {
            // Others were compiled against what it has changed.
            case FAILED -> NOT_LINKED.matcher(with.message()).find() ? Verdict.DOES_NOT_COMPILE : Verdict.KILLED;
            case PASSED -> Verdict.SURVIVED;
            case SKIPPED, NOT_FOUND -> Verdict.TEST_SAYS_NOTHING;
        };
    }

    private static Duration since(long begin) {
        return Duration.ofNanos(System.nanoTime() - begin);
    }
}
