package io.dedup.benchmarks;

import io.dedup.benchmarks.jdbc.ByHandTable;
import io.dedup.benchmarks.jdbc.PrefilledPostgres;
import io.dedup.benchmarks.kafka.ListenerBench;
import io.dedup.benchmarks.kafka.OtherReceivers;
import io.dedup.benchmarks.measure.Spread;
import io.dedup.benchmarks.network.Network;
import io.dedup.benchmarks.redis.ByHandKeys;
import io.dedup.benchmarks.redis.PrefilledRedis;
import io.dedup.benchmarks.subject.ByHandStore;
import io.dedup.benchmarks.subject.PrefilledStore;
import io.dedup.testservers.redis.RedisBinary;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** Record listeners on a broker: bare, with each record claimed on its own, and with a poll claimed ahead. */
final class ListenersSection {
    private static final Duration LONGEST = Duration.ofSeconds(5);
    private static final Duration SLOW = Duration.ofMillis(1);
    private static final String BARE = "bare";
    private static final String SINGLE = "record by record";
    private static final String AHEAD = "a poll ahead";
    private static final String BY_HAND = "a batch listener by hand";
    /** The rates of a fast handler keep rising for so many rounds, until all code on a record's path is compiled. */
    private static final int WARM_UPS = 4;

    private static final double FACTOR_TARGET = 20;
    private static final double BARE_TARGET = 0.25;
    private static final double SLOW_TARGET = 0.9;

    private final List<List<String>> rows = new ArrayList<>();
    private final RatesChart chart =
            new RatesChart("Kafka records a second through one listener thread, 20 % duplicates");
    private final Report report;
    private final Targets targets;

    ListenersSection(Report report, Targets targets) {
        this.report = report;
        this.targets = targets;
    }

    void run(List<String> stores, List<Network> networks, int rounds, int records) {
        ListenerBench bench = new ListenerBench(records, LONGEST);
        for (Network network : networks) {
            run(stores, network, rounds, bench);
        }
        report.heading("Record listeners on a broker, one thread, 20 % duplicates");
        report.table(
                List.of("store", "handler", "listener", "records/s", "to the bare listener", "to " + SINGLE), rows);
        report.picture("listeners", chart);
    }

    private void run(List<String> stores, Network network, int rounds, ListenerBench bench) {
        for (String store : stores) {
            Optional<StoreUnderTest> found = start(store, network);
            if (found.isPresent()) {
                try (StoreUnderTest unused = found.get()) {
                    run(bench, found.get(), WARM_UPS, rounds, Duration.ZERO);
                    run(bench, found.get(), 1, rounds, SLOW);
                }
            }
        }
    }

    /**
     * What listeners have their memory in.
     *
     * @param byHand what one writes oneself for a whole poll
     * @param others those of others, by name
     */
    private record StoreUnderTest(PrefilledStore server, ByHandStore byHand, Map<String, OtherReceivers.Maker> others)
            implements AutoCloseable {
        static StoreUnderTest of(PrefilledRedis server) {
            return new StoreUnderTest(server, new ByHandKeys(server.port()), OtherReceivers.onRedis(server.port()));
        }

        static StoreUnderTest of(PrefilledPostgres server) {
            return new StoreUnderTest(server, new ByHandTable(server.pool()), OtherReceivers.onDatabase(server.pool()));
        }

        @Override
        public void close() {
            byHand.close();
            server.close();
        }

        double recordsPerSecond(ListenerBench bench, String who, Duration handler) {
            if (who.equals(BY_HAND)) {
                return bench.recordsByHand(byHand, handler);
            }
            OtherReceivers.Maker other = others.get(who);
            return other == null
                    ? bench.recordsPerSecond(who.equals(BARE) ? null : server.store(), who.equals(AHEAD), handler)
                    : bench.recordsPerSecond(other, handler);
        }
    }

    private static Optional<StoreUnderTest> start(String store, Network network) {
        return switch (store) {
            case "redis-6.2" -> Optional.of(StoreUnderTest.of(new PrefilledRedis(RedisBinary.embedded(), network)));
            case "redis-7" ->
                RedisBinary.installed()
                        .map(binary -> new PrefilledRedis(binary, network))
                        .map(StoreUnderTest::of);
            case "postgresql" -> Optional.of(StoreUnderTest.of(new PrefilledPostgres(network)));
            default -> Optional.empty();
        };
    }

    private void run(ListenerBench bench, StoreUnderTest tested, int warmUps, int rounds, Duration handler) {
        PrefilledStore server = tested.server();
        List<String> contenders = new ArrayList<>(List.of(BARE, SINGLE, AHEAD, BY_HAND));
        contenders.addAll(tested.others().keySet());
        Map<String, List<Double>> rates = new LinkedHashMap<>();
        for (int round = 1 - warmUps; round <= rounds; round++) {
            for (String who : contenders) {
                double rate = tested.recordsPerSecond(bench, who, handler);
                report.progress(String.format(
                        Locale.ROOT, "%s, handler %s, %s, round %d: %,.0f", server.name(), handler, who, round, rate));
                if (round > 0) {
                    rates.computeIfAbsent(who, any -> new ArrayList<>()).add(rate);
                }
            }
        }
        List<Double> bare = rates.getOrDefault(BARE, List.of());
        List<Double> single = rates.getOrDefault(SINGLE, List.of());
        List<Double> ahead = rates.getOrDefault(AHEAD, List.of());
        for (Map.Entry<String, List<Double>> each : rates.entrySet()) {
            String who = each.getKey();
            if (!who.equals(BARE)) { // it looks nothing up: beside it the others would be too short to compare
                chart.add(
                        server.name() + ", handler of " + handler.toMillis() + " ms",
                        who.equals(AHEAD) || who.equals(SINGLE) ? "dedup, " + who : who,
                        Spread.of(each.getValue().stream().mapToDouble(rate -> rate))
                                .median(),
                        who.equals(AHEAD) || who.equals(SINGLE));
            }
            rows.add(List.of(
                    server.name(),
                    handler.isZero() ? "nothing" : handler.toMillis() + " ms",
                    each.getKey(),
                    Spread.of(each.getValue().stream().mapToDouble(rate -> rate))
                            .whole(),
                    ratio(each.getValue(), bare).ratio(),
                    ratio(each.getValue(), single).ratio()));
        }
        double toBare = ratio(ahead, bare).median();
        if (handler.isZero()) {
            targets.atLeast(
                    AHEAD + " / " + SINGLE,
                    server.name(),
                    FACTOR_TARGET,
                    ratio(ahead, single).median());
            targets.atLeast(AHEAD + " / bare listener", server.name(), BARE_TARGET, toBare);
        } else {
            targets.atLeast(AHEAD + " / bare listener, handler of 1 ms", server.name(), SLOW_TARGET, toBare);
        }
    }

    private static Spread ratio(List<Double> mine, List<Double> theirs) {
        return Spread.of(IntStream.range(0, mine.size()).mapToDouble(i -> mine.get(i) / theirs.get(i)));
    }
}
