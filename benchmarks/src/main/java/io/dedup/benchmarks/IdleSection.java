package io.dedup.benchmarks;

import io.dedup.benchmarks.idle.IdleReport;
import io.dedup.benchmarks.idle.IdleRun;
import io.dedup.benchmarks.idle.IdleRun.With;
import io.dedup.benchmarks.jdbc.DatabaseHandling;
import io.dedup.benchmarks.jdbc.PrefilledPostgres;
import io.dedup.benchmarks.measure.Outcome;
import io.dedup.benchmarks.measure.PairedRun;
import io.dedup.benchmarks.measure.Sample;
import io.dedup.benchmarks.measure.Spread;
import io.dedup.benchmarks.network.Network;
import io.dedup.benchmarks.redis.PrefilledRedis;
import io.dedup.benchmarks.redis.RedisHandling;
import io.dedup.benchmarks.subject.DuplicateWorkers;
import io.dedup.benchmarks.subject.HandlingStore;
import io.dedup.benchmarks.subject.MemoryHandling;
import io.dedup.testservers.redis.RedisBinary;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** What dedup costs an application beside its messages: start, memory, threads, and what a duplicate allocates. */
final class IdleSection {
    private static final int IDLE_SECONDS = 20;
    private static final int COPIES = 50_000;

    private final Report report;
    private final PairedRun run;
    private final int listeners;

    /** @param listeners how many an application has; enough of them, since the cost of one is less than the noise */
    IdleSection(Report report, PairedRun run, int listeners) {
        this.report = report;
        this.run = run;
        this.listeners = listeners;
    }

    /** @param stores those on which duplicates are measured */
    void run(List<String> stores) throws IOException, InterruptedException {
        try (IdleRun applications = new IdleRun(listeners)) {
            starts(applications);
            growth(applications);
        }
        duplicates(stores);
    }

    /** An application, by what it has. */
    private record Variant(With with, int listeners) {}

    private void starts(IdleRun applications) throws IOException, InterruptedException {
        Map<Variant, List<IdleReport>> reports = new LinkedHashMap<>();
        for (int count : List.of(0, listeners)) {
            for (With with : With.values()) {
                reports.put(new Variant(with, count), new ArrayList<>());
            }
        }
        for (int round = 0; round <= run.rounds(); round++) { // the first one fills the file system's cache
            for (Map.Entry<Variant, List<IdleReport>> each : reports.entrySet()) {
                Variant variant = each.getKey();
                IdleReport found =
                        applications.run(variant.with(), variant.listeners()).get(0);
                report.progress(variant + ": " + found);
                if (round > 0) {
                    each.getValue().add(found);
                }
            }
        }
        List<List<String>> rows = new ArrayList<>();
        reports.forEach((variant, found) -> {
            List<IdleReport> none = reports.getOrDefault(new Variant(variant.with(), 0), List.of());
            boolean isEmpty = variant.listeners() == 0;
            double heap = median(found, each -> (double) each.heap());
            double threads = median(found, IdleReport::threads);
            rows.add(List.of(
                    variant.with().toString(),
                    Integer.toString(variant.listeners()),
                    Spread.of(found.stream().mapToDouble(each -> (double) each.value()))
                            .whole(),
                    kibibytes(heap),
                    text(threads),
                    isEmpty ? "" : kibibytes((heap - median(none, each -> (double) each.heap())) / variant.listeners()),
                    isEmpty ? "" : perListener(threads - median(none, each -> each.threads()), variant.listeners())));
        });
        report.heading("A Spring Boot application with and without dedup: start and memory, a fresh JVM each");
        report.table(
                List.of(
                        "application",
                        "listeners",
                        "started in, ms",
                        "heap after GC, KiB",
                        "threads",
                        "heap of a listener, KiB",
                        "threads of a listener"),
                rows);
    }

    private static double median(List<IdleReport> reports, ToDoubleFunction<IdleReport> value) {
        return Spread.of(reports.stream().mapToDouble(value)).median();
    }

    private void growth(IdleRun applications) throws IOException, InterruptedException {
        List<List<String>> rows = new ArrayList<>();
        for (With with : List.of(With.NOTHING, With.REDIS)) {
            for (IdleReport each :
                    applications.run(with, listeners, "--idle.seconds=" + IDLE_SECONDS, "--idle.copies=" + COPIES)) {
                String when = switch (each.step()) {
                    case "started" -> "started";
                    case "idle" -> "after " + IDLE_SECONDS + " s of polls each 50 ms";
                    default -> String.format(Locale.ROOT, "after %,d copies of 1,000 messages", each.value());
                };
                rows.add(List.of(with.toString(), when, kibibytes((double) each.heap()), text(each.threads())));
            }
        }
        report.heading("The same with " + listeners + " listeners, over time");
        report.table(List.of("application", "when", "heap after GC, KiB", "threads"), rows);
    }

    private void duplicates(List<String> stores) throws InterruptedException {
        List<List<String>> rows = new ArrayList<>();
        for (String store : stores) {
            switch (store) {
                case "memory" -> rows.addAll(duplicates(new MemoryHandling()));
                case "redis-6.2" -> rows.addAll(redis(RedisBinary.embedded()));
                case "redis-7" -> {
                    if (RedisBinary.installed().isPresent()) {
                        rows.addAll(redis(RedisBinary.installed().get()));
                    }
                }
                case "postgresql" -> {
                    try (PrefilledPostgres server = new PrefilledPostgres(Network.LOOPBACK)) {
                        rows.addAll(duplicates(server.handling(Network.LOOPBACK)));
                    }
                }
                case "mariadb" -> rows.addAll(duplicates(DatabaseHandling.mariadb(Network.LOOPBACK)));
                case "h2" -> rows.addAll(duplicates(DatabaseHandling.h2()));
                default -> report.progress(store + ": duplicates aren't measured");
            }
        }
        report.heading("A duplicate of a message that is done, one at a time");
        report.table(List.of("store", "way", "bytes allocated", "CPU µs", "duplicates/s"), rows);
    }

    private List<List<String>> redis(RedisBinary binary) throws InterruptedException {
        try (PrefilledRedis server = new PrefilledRedis(binary, Network.LOOPBACK)) {
            return duplicates(new RedisHandling(server, Network.LOOPBACK));
        }
    }

    private List<List<String>> duplicates(HandlingStore opened) throws InterruptedException {
        try (HandlingStore store = opened) {
            Outcome outcome =
                    run.run(DuplicateWorkers.of(store), () -> {}, line -> report.progress(store.name() + ": " + line));
            return store.ways().keySet().stream()
                    .map(way -> List.of(
                            store.name(),
                            way,
                            text(outcome.of(way, Sample::bytesPerMessage).median()),
                            outcome.of(way, Sample::cpuNanosPerMessage).thousands(),
                            text(outcome.of(way, Sample::messagesPerSecond).median())))
                    .toList();
        }
    }

    private static String kibibytes(double bytes) {
        return text(bytes / 1024);
    }

    private static String text(double value) {
        return String.format(Locale.ROOT, "%,.0f", value);
    }

    private static String perListener(double all, int listeners) {
        return String.format(Locale.ROOT, "%.1f", all / listeners);
    }
}
