package io.dedup.benchmarks;

import io.dedup.benchmarks.jdbc.PrefilledPostgres;
import io.dedup.benchmarks.kafka.CpuTime;
import io.dedup.benchmarks.kafka.ListenerBench;
import io.dedup.benchmarks.kafka.ListenerBench.Form;
import io.dedup.benchmarks.measure.Spread;
import io.dedup.benchmarks.network.Network;
import io.dedup.benchmarks.redis.PrefilledRedis;
import io.dedup.store.DedupStore;
import io.dedup.testservers.redis.RedisBinary;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/** What it costs to explain duplicates: the same listeners in pairs, with and without, each time the other one first. */
final class ExplainedSection {
    private static final Duration LONGEST = Duration.ofSeconds(3);
    /** Until all code on a record's path is compiled. */
    private static final int WARM_UPS = 4;

    private final List<List<String>> rows = new ArrayList<>();
    private final CpuTime cpu = new CpuTime();
    private final Report report;
    private final int rounds;

    ExplainedSection(Report report, int rounds) {
        this.report = report;
        this.rounds = rounds;
    }

    void run(List<String> stores, List<Network> networks, int records) {
        ListenerBench bench = new ListenerBench(records, LONGEST, cpu);
        for (Network network : networks) {
            if (stores.contains("redis-7")) {
                RedisBinary.installed().ifPresent(binary -> redis(bench, binary, network));
            }
            if (stores.contains("redis-6.2")) {
                redis(bench, RedisBinary.embedded(), network);
            }
            if (stores.contains("postgresql")) {
                try (PrefilledPostgres postgres = new PrefilledPostgres(network)) {
                    measure(bench, postgres.name(), postgres.store(), postgres::clearAll);
                }
            }
        }
        report.heading(
                "Explained duplicates, in pairs: Kafka records a second through one listener thread, and this process's"
                        + " processor time for each, in µs");
        report.table(
                List.of(
                        "store",
                        "listener",
                        "without",
                        "with",
                        "with, as part of without",
                        "CPU without",
                        "CPU with",
                        "with, times without"),
                rows);
    }

    private void redis(ListenerBench bench, RedisBinary binary, Network network) {
        try (PrefilledRedis redis = new PrefilledRedis(binary, network)) {
            measure(bench, redis.name(), redis.store(), () -> {});
        }
    }

    /** What a listener reached in its turn. */
    private record Turn(double rate, double cpuMicros) {}

    private void measure(ListenerBench bench, String name, DedupStore store, Runnable beforeTurn) {
        for (Form form : Form.values()) {
            List<Turn> without = new ArrayList<>();
            List<Turn> with = new ArrayList<>();
            for (int round = -WARM_UPS; round < rounds; round++) {
                boolean explainedFirst = round % 2 == 0;
                Turn first = turn(bench, store, form, explainedFirst, beforeTurn);
                Turn second = turn(bench, store, form, !explainedFirst, beforeTurn);
                Turn plain = explainedFirst ? second : first;
                Turn explained = explainedFirst ? first : second;
                report.progress(String.format(
                        Locale.ROOT,
                        "%s, %s, round %d: %,.0f (%.2f µs) without, %,.0f (%.2f µs) with",
                        name,
                        form.listener(),
                        round,
                        plain.rate(),
                        plain.cpuMicros(),
                        explained.rate(),
                        explained.cpuMicros()));
                if (round >= 0) {
                    without.add(plain);
                    with.add(explained);
                }
            }
            rows.add(List.of(
                    name,
                    form.listener(),
                    spread(without, Turn::rate).whole(),
                    spread(with, Turn::rate).whole(),
                    ratio(with, without, Turn::rate).ratio(),
                    spread(without, Turn::cpuMicros).tenths(),
                    spread(with, Turn::cpuMicros).tenths(),
                    ratio(with, without, Turn::cpuMicros).ratio()));
        }
    }

    private Turn turn(ListenerBench bench, DedupStore store, Form form, boolean explained, Runnable beforeTurn) {
        beforeTurn.run();
        cpu.reset();
        double rate = bench.explained(store, form, explained);
        return new Turn(rate, cpu.microsPerRecord());
    }

    private static Spread spread(List<Turn> turns, ToDoubleFunction<Turn> of) {
        return Spread.of(turns.stream().mapToDouble(of));
    }

    private static Spread ratio(List<Turn> mine, List<Turn> others, ToDoubleFunction<Turn> of) {
        return Spread.of(IntStream.range(0, mine.size())
                .mapToDouble(i -> of.applyAsDouble(mine.get(i)) / of.applyAsDouble(others.get(i))));
    }
}
