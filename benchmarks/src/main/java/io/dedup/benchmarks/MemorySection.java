package io.dedup.benchmarks;

import io.dedup.benchmarks.redis.RedisMemory;
import io.dedup.testservers.redis.RedisBinary;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** What a DONE record takes in Redis. */
final class MemorySection {
    private static final double TARGET = 96;

    private final Report report;
    private final Targets targets;

    MemorySection(Report report, Targets targets) {
        this.report = report;
        this.targets = targets;
    }

    void run() {
        List<List<String>> rows = new ArrayList<>();
        Stream.concat(Stream.of(RedisBinary.embedded()), RedisBinary.installed().stream())
                .map(RedisMemory::measure)
                .forEach(figures -> {
                    targets.atMost(
                            "bytes of a DONE record, single form",
                            figures.server(),
                            TARGET,
                            figures.single().max());
                    targets.atMost(
                            "bytes of a DONE record, batch form",
                            figures.server(),
                            TARGET,
                            figures.batch().max());
                    rows.add(List.of(
                            figures.server(),
                            Integer.toString(figures.keyLength()),
                            figures.single().whole(),
                            figures.batch().whole(),
                            String.format(Locale.ROOT, "%.0f", figures.everything())));
                });
        report.heading("Redis: memory of a DONE record without a result");
        report.table(
                List.of(
                        "server",
                        "characters of the key",
                        "`MEMORY USAGE`, single form",
                        "`MEMORY USAGE`, batch form",
                        "whole server, by record"),
                rows);
    }
}
