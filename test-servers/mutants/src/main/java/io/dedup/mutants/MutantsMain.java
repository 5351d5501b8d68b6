package io.dedup.mutants;

import io.dedup.mutants.patch.Mutant;
import io.dedup.mutants.report.MarkdownTable;
import io.dedup.mutants.report.Result;
import io.dedup.mutants.report.ResultsFile;
import io.dedup.mutants.run.Judge;
import io.dedup.mutants.run.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Plants each mutant, runs its test and writes down the result; continues a run that was stopped. Exits with 1 if a mutant survives. */
@Command(name = "mutants", mixinStandardHelpOptions = true, sortOptions = false)
public final class MutantsMain implements Callable<Integer> {
    /** Where the patches are in a checkout. */
    static final String PATCHES = "test-servers/mutants/src/main/mutants";

    @Option(names = "--checkout", required = true, description = "The project's directory, built.")
    private Path checkout = Path.of(".");

    @Option(
            names = "--directory",
            required = true,
            description = "Where results, logs and mutants' classes are written.")
    private Path directory = Path.of(".");

    @Option(names = "--only", split = ",", description = "Names of mutants. Default: all.")
    private List<String> only = List.of();

    @Option(
            names = "--timeout-s",
            description = "For one test, with the start of its servers. Default: ${DEFAULT-VALUE}")
    private long timeoutSeconds = 240;

    private MutantsMain() {}

    public static void main(String[] args) {
        System.exit(new CommandLine(new MutantsMain()).execute(args));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        List<Mutant> mutants = wanted();
        Files.createDirectories(directory);
        ResultsFile file = new ResultsFile(directory.resolve("mutants.csv"));
        Judge judge = new Judge(checkout, directory, Duration.ofSeconds(timeoutSeconds));
        String commit = judge.commit();
        Map<Mutant, Result> results = known(mutants, file.read(), commit);
        List<Mutant> open =
                mutants.stream().filter(mutant -> !results.containsKey(mutant)).toList();
        System.out.println(mutants.size() + " mutants of commit " + commit + ", " + open.size() + " to do");
        judge.runWithout(open.stream().map(Mutant::killer).toList());
        for (Mutant mutant : open) {
            Result result = Result.of(mutant, commit, judge.judge(mutant));
            file.append(result);
            results.put(mutant, result);
            System.out.printf(
                    "%d/%d %s: %s, %s, %d s%n",
                    results.size(),
                    mutants.size(),
                    mutant.name(),
                    result.verdict().word(),
                    mutant.killer().shortName(),
                    result.seconds());
        }
        Files.writeString(directory.resolve("mutants.md"), MarkdownTable.of(mutants, results));
        return ended(results);
    }

    private List<Mutant> wanted() throws IOException {
        List<Mutant> all = Mutant.allIn(checkout.resolve(PATCHES));
        List<String> names = only.stream().filter(name -> !name.isBlank()).toList();
        List<Mutant> wanted = names.isEmpty()
                ? all
                : all.stream().filter(mutant -> names.contains(mutant.name())).toList();
        if (!names.isEmpty() && wanted.size() != names.size()) {
            throw new IllegalArgumentException("Not all of these are mutants: " + names);
        }
        return wanted;
    }

    private static Map<Mutant, Result> known(List<Mutant> mutants, List<Result> results, String commit) {
        Map<Mutant, Result> known = new LinkedHashMap<>();
        for (Mutant mutant : mutants) {
            results.stream()
                    .filter(result -> result.isOf(mutant, commit) && result.verdict() == Verdict.KILLED)
                    .findFirst()
                    .ifPresent(result -> known.put(mutant, result));
        }
        return known;
    }

    private static int ended(Map<Mutant, Result> results) {
        long alive = 0;
        for (Map.Entry<Mutant, Result> each : results.entrySet()) {
            Result result = each.getValue();
            if (result.verdict() != Verdict.KILLED) {
                alive++;
                System.out.println(result.verdict().word() + ": "
                        + each.getKey().name() + ", " + each.getKey().killer() + ": " + result.why());
            }
        }
        System.out.println((results.size() - alive) + " of " + results.size() + " mutants killed");
        return alive == 0 ? 0 : 1;
    }
}
