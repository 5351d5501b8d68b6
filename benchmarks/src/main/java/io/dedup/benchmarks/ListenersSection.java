package io.dedup.benchmarks;

import io.dedup.benchmarks.jdbc.ByHandTable;
import io.dedup.benchmarks.jdbc.PrefilledPostgres;
import io.dedup.benchmarks.kafka.LeasedListeners;
import io.dedup.benchmarks.kafka.ListenerBench;
import io.dedup.benchmarks.kafka.ListenerContender;
import io.dedup.benchmarks.kafka.ListenerNames;
import io.dedup.benchmarks.kafka.OtherReceivers;
import io.dedup.benchmarks.kafka.TransactionalListeners;
import io.dedup.benchmarks.measure.Spread;
import io.dedup.benchmarks.network.Network;
import io.dedup.benchmarks.redis.ByHandKeys;
import io.dedup.benchmarks.redis.PrefilledRedis;
import io.dedup.testservers.redis.RedisBinary;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/** Listeners on a broker: with dedup in each of its forms, without it, by hand, and with what others offer. */
final class ListenersSection {
    private static final Duration LONGEST = Duration.ofSeconds(2);
    private static final Duration SLOW = Duration.ofMillis(1);
    private static final List<String> CASES = List.of("store", "network", "handler");
    /** The rates of a fast handler keep rising for so many rounds, until all code on a record's path is compiled. */
    private static final int WARM_UPS = 4;

    private static final double FACTOR_TARGET = 20;
    private static final double BARE_TARGET = 0.25;
    private static final double SLOW_TARGET = 0.9;

    private final WideTable leased = new WideTable(CASES, ListenerNames.LEASED);
    private final WideTable transactional = new WideTable(CASES, ListenerNames.TRANSACTIONAL);
    private final List<List<String>> rows = new ArrayList<>();
    private final RatesChart chart =
            new RatesChart("Kafka records a second through one listener thread, 20 % duplicates");
    private final Report report;
    private final Targets targets;
    private final int rounds;

    ListenersSection(Report report, Targets targets, int rounds) {
        this.report = report;
        this.targets = targets;
        this.rounds = rounds;
    }

    void run(List<String> stores, List<Network> networks, int records) {
        ListenerBench bench = new ListenerBench(records, LONGEST);
        for (String store : stores) {
            for (Network network : networks) {
                boolean isWarm = !network.equals(networks.get(0));
                switch (store) {
                    case "redis-6.2" -> redis(bench, RedisBinary.embedded(), network, isWarm);
                    case "redis-7" ->
                        RedisBinary.installed().ifPresent(binary -> redis(bench, binary, network, isWarm));
                    case "postgresql" -> postgres(bench, network, isWarm);
                    default -> report.progress(store + " isn't measured behind listeners");
                }
            }
        }
        report.heading("Records a second through one listener thread, 20 % duplicates: LEASED, effects anywhere");
        leased.print(report);
        report.heading("The same: TRANSACTIONAL, each handler inserts a row in the transaction that deduplicates");
        transactional.print(report);
        report.heading("Record listeners on a broker: medians and ranges");
        report.table(
                List.of(
                        "store",
                        "mode",
                        "handler",
                        "listener",
                        "records/s",
                        "to no dedup",
                        "to " + ListenerNames.SINGLE),
                rows);
        report.picture("listeners", chart);
    }

    private void redis(ListenerBench bench, RedisBinary binary, Network network, boolean isWarm) {
        try (PrefilledRedis server = new PrefilledRedis(binary, network);
                ByHandKeys byHand = ByHandKeys.leased(server.port())) {
            leased(
                    new Case(server.name(), network, isWarm),
                    LeasedListeners.on(bench, server.store(), byHand, OtherReceivers.onRedis(server.port())),
                    () -> {});
        }
    }

    private void postgres(ListenerBench bench, Network network, boolean isWarm) {
        try (PrefilledPostgres server = new PrefilledPostgres(network);
                ByHandTable byHand = new ByHandTable(server.pool())) {
            Case measured = new Case(server.name(), network, isWarm);
            Map<String, OtherReceivers.Maker> others = OtherReceivers.onDatabase(server.pool());
            leased(measured, LeasedListeners.on(bench, server.store(), byHand, others), server::clearAll);
            Map<String, ListenerContender> contenders =
                    new TransactionalListeners(bench, server.pool(), server.store()).contenders(others);
            for (Duration handler : List.of(Duration.ZERO, SLOW)) {
                String effect = handler.isZero() ? "inserts a row" : "inserts a row after 1 ms";
                Map<String, List<Double>> rates = measure(measured, contenders, handler, server::clearAll);
                add(measured, "TRANSACTIONAL", effect, rates, transactional);
            }
        }
    }

    /**
     * A store at some distance.
     *
     * @param store its name, with the distance
     * @param isWarm whether the same code ran before, at another distance
     */
    private record Case(String store, Network network, boolean isWarm) {
        int warmUps(Duration handler, int rounds) {
            if (!handler.isZero()) {
                return 0;
            }
            return isWarm ? 1 : Math.min(WARM_UPS, rounds);
        }
    }

    private void leased(Case measured, Map<String, ListenerContender> contenders, Runnable beforeTurn) {
        for (Duration handler : List.of(Duration.ZERO, SLOW)) {
            String effect = handler.isZero() ? "nothing" : handler.toMillis() + " ms";
            Map<String, List<Double>> rates = measure(measured, contenders, handler, beforeTurn);
            add(measured, "LEASED", effect, rates, leased);
            chart(measured.store(), handler, rates);
            targets(measured.store(), handler, rates);
        }
    }

    private Map<String, List<Double>> measure(
            Case measured, Map<String, ListenerContender> contenders, Duration handler, Runnable beforeTurn) {
        Map<String, List<Double>> rates = new LinkedHashMap<>();
        for (int round = 1 - measured.warmUps(handler, rounds); round <= rounds; round++) {
            for (Map.Entry<String, ListenerContender> each : contenders.entrySet()) {
                beforeTurn.run();
                double rate = each.getValue().recordsPerSecond(handler);
                report.progress(String.format(
                        Locale.ROOT,
                        "%s, handler %s, %s, round %d: %,.0f",
                        measured.store(),
                        handler,
                        each.getKey(),
                        round,
                        rate));
                if (round > 0) {
                    rates.computeIfAbsent(each.getKey(), any -> new ArrayList<>())
                            .add(rate);
                }
            }
        }
        return rates;
    }

    private void add(Case measured, String mode, String effect, Map<String, List<Double>> rates, WideTable wide) {
        List<Double> bare = rates.getOrDefault(ListenerNames.NO_DEDUP, List.of());
        List<Double> single = rates.getOrDefault(ListenerNames.SINGLE, List.of());
        List<String> row = List.of(
                measured.network().plain(measured.store()), measured.network().label(), effect);
        rates.forEach((who, found) -> {
            wide.add(row, who, spread(found).median());
            rows.add(List.of(
                    measured.store(),
                    mode,
                    effect,
                    who,
                    spread(found).whole(),
                    ratio(found, bare).ratio(),
                    ratio(found, single).ratio()));
        });
    }

    private void chart(String store, Duration handler, Map<String, List<Double>> rates) {
        rates.forEach((who, found) -> {
            if (!who.equals(ListenerNames.NO_DEDUP)) { // beside it the others would be too short to compare
                chart.add(
                        store + ", handler of " + handler.toMillis() + " ms",
                        who,
                        spread(found).median(),
                        ListenerNames.isOurs(who));
            }
        });
    }

    private void targets(String store, Duration handler, Map<String, List<Double>> rates) {
        List<Double> ahead = rates.getOrDefault(ListenerNames.AHEAD, List.of());
        double toBare = ratio(ahead, rates.getOrDefault(ListenerNames.NO_DEDUP, List.of()))
                .median();
        if (handler.isZero()) {
            targets.atLeast(
                    "a poll ahead / record by record",
                    store,
                    FACTOR_TARGET,
                    ratio(ahead, rates.getOrDefault(ListenerNames.SINGLE, List.of()))
                            .median());
            targets.atLeast("a poll ahead / no dedup", store, BARE_TARGET, toBare);
        } else {
            targets.atLeast("a poll ahead / no dedup, handler of 1 ms", store, SLOW_TARGET, toBare);
        }
    }

    private static Spread spread(List<Double> values) {
        return Spread.of(values.stream().mapToDouble(value -> value));
    }

    private static Spread ratio(List<Double> mine, List<Double> theirs) {
        return Spread.of(IntStream.range(0, mine.size()).mapToDouble(i -> mine.get(i) / theirs.get(i)));
    }
}
