package io.dedup.benchmarks;

import io.dedup.benchmarks.jdbc.DatabaseHandling;
import io.dedup.benchmarks.jdbc.PrefilledPostgres;
import io.dedup.benchmarks.latency.Percentiles;
import io.dedup.benchmarks.latency.SteadyLatency;
import io.dedup.benchmarks.network.Network;
import io.dedup.benchmarks.redis.PrefilledRedis;
import io.dedup.benchmarks.redis.RedisHandling;
import io.dedup.benchmarks.subject.HandlingStore;
import io.dedup.testservers.redis.RedisBinary;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Latency of claim and completion at a steady rate, by store, mode and network. */
final class SteadySection {
    private final List<List<String>> rows = new ArrayList<>();
    private final Report report;
    private final SteadyLatency latency;
    private final int ids;

    SteadySection(Report report, SteadyLatency latency, int ids) {
        this.report = report;
        this.latency = latency;
        this.ids = ids;
    }

    void run(List<String> stores, List<Network> networks) throws InterruptedException {
        for (String store : stores) {
            switch (store) {
                case "redis-6.2" -> redis(RedisBinary.embedded(), networks);
                case "redis-7" -> {
                    if (RedisBinary.installed().isPresent()) {
                        redis(RedisBinary.installed().get(), networks);
                    }
                }
                case "postgresql" -> postgres(networks);
                case "mariadb" -> mariadb(networks);
                default -> report.progress(store + " isn't measured at a steady rate");
            }
        }
        report.heading("Claim and completion, " + latency.perSecond()
                + " messages a second, in µs from the moment at which a message was due");
        report.table(List.of("store", "network", "stored IDs", "way", "50 %", "99 %", "99.9 %", "longest"), rows);
    }

    private void redis(RedisBinary binary, List<Network> networks) throws InterruptedException {
        try (PrefilledRedis server = new PrefilledRedis(binary, Network.LOOPBACK)) {
            server.fill(ids);
            for (Network network : networks) {
                measure(new RedisHandling(server, network), network, ids);
            }
        }
    }

    private void postgres(List<Network> networks) throws InterruptedException {
        try (PrefilledPostgres server = new PrefilledPostgres(Network.LOOPBACK)) {
            server.fill(ids);
            server.handling(Network.LOOPBACK).close(); // creates the tables by hand
            server.fillByHand();
            report.progress(String.format(Locale.ROOT, "%s: %,d IDs stored", server.name(), ids));
            for (Network network : networks) {
                measure(server.handling(network), network, ids);
            }
        }
    }

    /** On an empty table: filling it takes too long. */
    private void mariadb(List<Network> networks) throws InterruptedException {
        for (Network network : networks) {
            measure(DatabaseHandling.mariadb(network), network, 0);
        }
    }

    private void measure(HandlingStore opened, Network network, int stored) throws InterruptedException {
        try (HandlingStore store = opened) {
            for (Map.Entry<String, Percentiles> way : latency.measure(store).entrySet()) {
                Percentiles times = way.getValue();
                rows.add(List.of(
                        store.name(),
                        network.label(),
                        String.format(Locale.ROOT, "%,d", stored),
                        way.getKey(),
                        micros(times, 50),
                        micros(times, 99),
                        micros(times, 99.9),
                        micros(times, 100)));
            }
        }
    }

    private static String micros(Percentiles times, double percent) {
        return String.format(Locale.ROOT, "%,.0f", times.at(percent) / 1_000);
    }
}
