package io.dedup.kafka.crash;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The counts of all rounds, a line for each round and trial. */
final class CrashFile {
    private static final int KILLS = 2;
    private static final int MESSAGES = 3;
    private static final int MOVES = 4;
    private static final int TWICE = 5;
    private static final int MISSING = 6;
    private static final int BALANCED = 7;
    private static final int TWICE_BY_EFFECT = 9;

    private final Path path;
    private final List<Trial> trials;

    CrashFile(Path path, List<String> databases, List<Plan> plans) {
        this.path = path;
        this.trials = databases.stream()
                .flatMap(name -> Trial.on(name, plans).stream())
                .toList();
    }

    void append(List<CrashRun.Count> counts, long seed) throws IOException {
        List<String> lines = counts.stream()
                .map(count -> String.join(
                        ",",
                        count.trial().database(),
                        count.trial().plan().name(),
                        String.valueOf(count.kills()),
                        String.valueOf(count.messages()),
                        String.valueOf(count.moves()),
                        String.valueOf(count.twice()),
                        String.valueOf(count.missing()),
                        String.valueOf(count.balanced()),
                        String.valueOf(seed),
                        count.twiceByEffect().stream().map(String::valueOf).collect(Collectors.joining("+"))))
                .toList();
        Files.write(path, lines, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /** Of the trial that has had the fewest. */
    int kills() throws IOException {
        int least = Integer.MAX_VALUE;
        for (Trial trial : trials) {
            least = Math.min(least, sum(rows(trial), KILLS));
        }
        return least;
    }

    /** Of all trials together. */
    int messages() throws IOException {
        int all = 0;
        for (Trial trial : trials) {
            all += sum(rows(trial), MESSAGES);
        }
        return all;
    }

    boolean keepsPromises() throws IOException {
        for (Trial trial : trials) {
            List<String[]> rows = rows(trial);
            boolean exact = sum(rows, TWICE) == 0 && isBalanced(rows);
            if (sum(rows, MISSING) != 0 || (trial.plan().isExact() && !exact)) {
                return false;
            }
        }
        return true;
    }

    void print() throws IOException {
        System.out.printf(
                "%-8s %-22s %6s %9s %8s %6s %8s %9s %s%n",
                "database", "plan", "kills", "messages", "effects", "twice", "missing", "balanced", "twice by effect");
        for (Trial trial : trials) {
            List<String[]> rows = rows(trial);
            System.out.printf(
                    "%-8s %-22s %6d %9d %8d %6d %8d %9s %s%n",
                    trial.database(),
                    trial.plan(),
                    sum(rows, KILLS),
                    sum(rows, MESSAGES),
                    sum(rows, MOVES),
                    sum(rows, TWICE),
                    sum(rows, MISSING),
                    isBalanced(rows),
                    twiceByEffect(trial, rows));
        }
    }

    private List<String[]> rows(Trial trial) throws IOException {
        if (!Files.exists(path)) {
            return List.of();
        }
        return Files.readAllLines(path).stream()
                .map(line -> line.split(",", -1))
                .filter(row -> row[0].equals(trial.database())
                        && row[1].equals(trial.plan().name()))
                .toList();
    }

    private static String twiceByEffect(Trial trial, List<String[]> rows) {
        List<String> effects = Bank.effects(trial.plan());
        int[] sums = new int[effects.size()];
        for (String[] row : rows) {
            if (row.length > TWICE_BY_EFFECT) { // earlier versions had no such column
                String[] each = row[TWICE_BY_EFFECT].split("\\+", -1);
                Arrays.setAll(sums, i -> sums[i] + Integer.parseInt(each[i]));
            }
        }
        return IntStream.range(0, sums.length)
                .mapToObj(i -> effects.get(i) + " " + sums[i])
                .collect(Collectors.joining(", "));
    }

    private static boolean isBalanced(List<String[]> rows) {
        return rows.stream().allMatch(row -> row[BALANCED].equals("true"));
    }

    private static int sum(List<String[]> rows, int column) {
        return rows.stream().mapToInt(row -> Integer.parseInt(row[column])).sum();
    }
}
