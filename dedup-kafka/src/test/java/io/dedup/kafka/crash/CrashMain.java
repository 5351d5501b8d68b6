package io.dedup.kafka.crash;

import io.dedup.testservers.ParentWatch;
import io.dedup.testservers.kafka.KafkaAddress;
import io.dedup.testservers.kafka.KafkaServers;
import io.dedup.testservers.sql.SqlDatabase;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Kills a thousand consumers, in rounds. Each round's counts are appended to a file when it is over; started again, it goes
 * on from there.
 */
public final class CrashMain {
    private static final int KILLS_PER_ROUND = 20;

    private CrashMain() {}

    /**
     * Arguments: {@code postgres}, {@code mariadb}, or both with a comma between; the number of kills for each plan on each
     * database; the number of messages over all of them; the file; the plans, with commas between, or {@code all}.
     */
    public static void main(String[] args) throws Exception {
        ParentWatch.start();
        List<String> names = List.of(args[0].split(",", -1));
        int kills = Integer.parseInt(args[1]);
        int messages = Integer.parseInt(args[2]);
        List<Plan> plans = Plan.named(args[4]);
        CrashFile file = new CrashFile(Path.of(args[3]), names, plans);
        int messagesPerKill = Math.max(1, messages / kills / names.size() / plans.size());
        ConsumerStarts starts = ConsumerStarts.create();
        KafkaAddress kafka = KafkaServers.builder()
                // A busy machine makes it miss the few seconds that tests wait for.
                .setting("broker.session.timeout.ms", "60000")
                .start()
                .address();
        rehearse(kafka, names, plans, starts);
        while (file.kills() < kills || file.messages() < messages) {
            long seed = System.nanoTime();
            long start = System.nanoTime();
            List<CrashRun.Count> counts = round(kafka, names, plans, starts, messagesPerKill, seed);
            file.append(counts, seed);
            System.out.printf(
                    "%d of %d kills, %d of %d messages; this round took %d s%s%n",
                    file.kills(),
                    kills,
                    file.messages(),
                    messages,
                    (System.nanoTime() - start) / 1_000_000_000,
                    counts.stream().allMatch(CrashRun.Count::keepsPromise) ? "" : "; NOT EXACT: " + counts);
        }
        file.print();
        System.exit(file.keepsPromises() ? 0 : 1); // the servers' threads would hold it
    }

    private static void rehearse(KafkaAddress kafka, List<String> names, List<Plan> plans, ConsumerStarts starts)
            throws Exception {
        try (Databases databases = new Databases(names)) {
            new CrashRun(kafka, databases.all, plans, starts, 1, 1).rehearse();
        }
    }

    private static List<CrashRun.Count> round(
            KafkaAddress kafka,
            List<String> names,
            List<Plan> plans,
            ConsumerStarts starts,
            int messagesPerKill,
            long seed)
            throws Exception {
        try (Databases databases = new Databases(names)) {
            return new CrashRun(kafka, databases.all, plans, starts, messagesPerKill, seed).kill(KILLS_PER_ROUND);
        }
    }

    /** New ones, dropped at the end. */
    private static final class Databases implements AutoCloseable {
        private final Map<String, SqlDatabase> all = new LinkedHashMap<>();

        Databases(List<String> names) throws IOException {
            names.forEach(name -> all.put(name, Trial.newDatabase(name)));
        }

        @Override
        public void close() {
            all.values().forEach(SqlDatabase::close);
        }
    }
}
