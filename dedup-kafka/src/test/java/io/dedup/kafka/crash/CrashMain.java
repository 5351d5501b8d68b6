package io.dedup.kafka.crash;

import io.dedup.testservers.ParentWatch;
import io.dedup.testservers.sql.MariaDbServers;
import io.dedup.testservers.sql.PostgresServers;
import io.dedup.testservers.sql.SqlDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Kills hundreds of consumers, in rounds. Each round's counts are appended to a file when it is over; started again, it goes
 * on from there.
 */
public final class CrashMain {
    private static final int KILLS_PER_ROUND = 20;

    private CrashMain() {}

    /** Arguments: {@code postgres} or {@code mariadb}, the number of kills, and the file. */
    public static void main(String[] args) throws Exception {
        ParentWatch.start();
        String name = args[0];
        int wanted = Integer.parseInt(args[1]);
        Path file = Path.of(args[2]);
        int done = killsIn(file, name);
        boolean exact = true;
        while (done < wanted) {
            long seed = System.nanoTime();
            try (SqlDatabase database = database(name)) {
                int kills = Math.min(KILLS_PER_ROUND, wanted - done);
                List<CrashRun.Count> counts = new CrashRun(database, seed).kill(kills);
                done += kills;
                append(file, name, kills, seed, counts);
                exact &= counts.stream()
                        .allMatch(count -> count.missing() == 0
                                && (count.isExact() || !count.plan().isExact()));
                System.out.println(name + ": " + done + " of " + wanted + " kills" + (exact ? "" : ", NOT EXACT"));
            }
        }
        summary(file, name);
        System.exit(exact ? 0 : 1); // the servers' threads would hold it
    }

    static SqlDatabase database(String name) {
        return switch (name) {
            case "postgres" -> PostgresServers.newDatabase();
            case "mariadb" -> MariaDbServers.newDatabase();
            default -> throw new IllegalArgumentException("postgres or mariadb, but not " + name);
        };
    }

    private static void append(Path file, String name, int kills, long seed, List<CrashRun.Count> counts)
            throws IOException {
        List<String> lines = new ArrayList<>();
        for (CrashRun.Count count : counts) {
            lines.add(String.join(
                    ",",
                    name,
                    count.plan().name(),
                    String.valueOf(kills),
                    String.valueOf(count.messages()),
                    String.valueOf(count.moves()),
                    String.valueOf(count.twice()),
                    String.valueOf(count.missing()),
                    String.valueOf(count.balanced()),
                    String.valueOf(seed)));
        }
        Files.write(file, lines, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private static int killsIn(Path file, String name) throws IOException {
        return rows(file, name, Plan.LEASED).stream()
                .mapToInt(row -> Integer.parseInt(row[2]))
                .sum();
    }

    private static List<String[]> rows(Path file, String name, Plan plan) throws IOException {
        if (!Files.exists(file)) {
            return List.of();
        }
        return Files.readAllLines(file).stream()
                .map(line -> line.split(",", -1))
                .filter(row -> row[0].equals(name) && row[1].equals(plan.name()))
                .toList();
    }

    private static void summary(Path file, String name) throws IOException {
        System.out.printf(
                "%-8s %-22s %6s %9s %8s %6s %8s %9s%n",
                "database", "plan", "kills", "messages", "effects", "twice", "missing", "balanced");
        for (Plan plan : Plan.values()) {
            List<String[]> rows = rows(file, name, plan);
            System.out.printf(
                    "%-8s %-22s %6d %9d %8d %6d %8d %9s%n",
                    name,
                    plan,
                    sum(rows, 2),
                    sum(rows, 3),
                    sum(rows, 4),
                    sum(rows, 5),
                    sum(rows, 6),
                    rows.stream().allMatch(row -> row[7].equals("true")));
        }
    }

    private static int sum(List<String[]> rows, int column) {
        return rows.stream().mapToInt(row -> Integer.parseInt(row[column])).sum();
    }
}
