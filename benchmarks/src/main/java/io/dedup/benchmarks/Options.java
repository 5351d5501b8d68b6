package io.dedup.benchmarks;

import io.dedup.benchmarks.measure.PairedRun;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the command was asked to do.
 *
 * @param sections some of {@link #SECTIONS}
 * @param stores some of {@link #STORES}
 * @param run how long each contender is measured
 * @param maxIds up to how many stored IDs the latency is measured
 * @param purged how many expired records are purged
 * @param claimsPerSecond at which rate claims run beside that
 * @param records how many records are in the topic that listeners read
 */
record Options(
        List<String> sections,
        List<String> stores,
        PairedRun run,
        int maxIds,
        int purged,
        int claimsPerSecond,
        int records) {
    static final List<String> SECTIONS =
            List.of("stores", "memory", "latency", "transactions", "purge", "disk", "listeners");
    static final List<String> STORES = List.of(
            "memory", "redis-6.2", "redis-7", "postgresql", "postgresql-synced", "mariadb", "mariadb-prepared", "h2");

    /** Ways to run a database that only transactions are measured on. */
    private static final List<String> FOR_TRANSACTIONS = List.of("postgresql-synced", "mariadb-prepared");

    private static final String ALL = "all";

    /** What {@link #ALL} doesn't run, since it takes as long as the rest together. */
    private static final List<String> ONLY_BY_NAME = List.of("purge", "disk", "listeners");

    /**
     * Reads {@code name=value} arguments.
     *
     * @throws IllegalArgumentException names the argument that is wrong
     */
    static Options parse(String... arguments) {
        Map<String, String> values = new LinkedHashMap<>(Map.of(
                "benchmark",
                ALL,
                "stores",
                ALL,
                "rounds",
                "15",
                "turn-ms",
                "300",
                "warm-up-ms",
                "1000",
                "ids",
                "10000000",
                "purged",
                "5000000",
                "claims-per-second",
                "200",
                "records",
                "100000"));
        for (String argument : arguments) {
            int at = argument.indexOf('=');
            if (at < 0 || values.replace(argument.substring(0, at), argument.substring(at + 1)) == null) {
                throw new IllegalArgumentException("not an argument: " + argument + "; there are " + values.keySet());
            }
        }
        return new Options(
                chosen("benchmark", values, SECTIONS),
                chosen("stores", values, STORES),
                new PairedRun(
                        Duration.ofMillis(number("warm-up-ms", values)),
                        number("rounds", values),
                        Duration.ofMillis(number("turn-ms", values))),
                number("ids", values),
                number("purged", values),
                number("claims-per-second", values),
                number("records", values));
    }

    private static List<String> chosen(String name, Map<String, String> values, List<String> known) {
        String value = values.getOrDefault(name, ALL);
        if (value.equals(ALL)) {
            return known.stream().filter(each -> !ONLY_BY_NAME.contains(each)).toList();
        }
        List<String> chosen = Arrays.asList(value.split(",", -1));
        if (!known.containsAll(chosen)) {
            throw new IllegalArgumentException(name + " must be " + ALL + " or some of " + known + ", but is " + value);
        }
        return chosen;
    }

    private static int number(String name, Map<String, String> values) {
        String value = values.getOrDefault(name, "");
        if (!value.matches("[1-9]\\d{0,8}")) {
            throw new IllegalArgumentException(name + " must be a number from 1, but is " + value);
        }
        return Integer.parseInt(value);
    }

    /** Those that everything is measured on. */
    List<String> plainStores() {
        return stores.stream()
                .filter(store -> !FOR_TRANSACTIONS.contains(store))
                .toList();
    }

    boolean wants(String section) {
        return sections.contains(section);
    }
}
