package io.dedup.benchmarks;

import io.dedup.benchmarks.jdbc.PrefilledPostgres;
import io.dedup.benchmarks.latency.ClaimLatency;
import io.dedup.benchmarks.network.Network;
import io.dedup.benchmarks.redis.PrefilledRedis;
import io.dedup.testservers.redis.RedisBinary;
import java.util.ArrayList;
import java.util.List;

/** How the latency of a claim changes with the stored IDs. */
final class LatencySection {
    private final Report report;

    LatencySection(Report report) {
        this.report = report;
    }

    void run(List<Network> networks, int maxIds) {
        ClaimLatency latency = new ClaimLatency(report::progress);
        List<List<String>> rows = new ArrayList<>();
        RedisBinary redis = RedisBinary.installed().orElseGet(RedisBinary::embedded);
        for (Network network : networks) {
            rows.addAll(latency.measure(() -> new PrefilledRedis(redis, network), maxIds));
            rows.addAll(latency.measure(() -> new PrefilledPostgres(network), maxIds));
        }
        report.heading("Latency of a claim by stored IDs, in µs at 50 / 99 / 99.9 per cent");
        report.table(
                List.of(
                        "store",
                        "stored IDs",
                        "single claim",
                        "median, times that of the first row",
                        "claim of a batch of 500",
                        "median, times that of the first row"),
                rows);
    }
}
