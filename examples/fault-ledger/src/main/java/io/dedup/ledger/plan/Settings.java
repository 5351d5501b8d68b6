package io.dedup.ledger.plan;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * What is to be measured.
 *
 * @param together how many rows share one pass, and its consumer processes
 * @param calm between faults
 * @param bound how long to wait for what isn't acknowledged when everything was sent
 * @param directory of results
 */
public record Settings(List<Row> rows, RunSize size, int together, Duration calm, Duration bound, Path directory) {
    private static final Map<String, String> DEFAULTS = Map.of(
            "rows", "all",
            "messages", "1000",
            "faults", "30",
            "kinds", RunSize.ALL,
            "seed", "1",
            "together", "7",
            "calm-ms", "1000",
            "bound-s", "60",
            "directory", "target/ledger");

    /**
     * From arguments such as {@code rows=leased-redis,none messages=1000}.
     *
     * @throws IllegalArgumentException that names what is wrong
     */
    public static Settings of(String... arguments) {
        Map<String, String> given = new HashMap<>(DEFAULTS);
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            String name = equals < 0 ? argument : argument.substring(0, equals);
            if (equals < 0 || !DEFAULTS.containsKey(name)) {
                throw new IllegalArgumentException(
                        argument + ": name=value, with one of the names " + new TreeSet<>(DEFAULTS.keySet()));
            }
            given.put(name, argument.substring(equals + 1));
        }
        int faults = positive(given, "faults");
        int messages = positive(given, "messages");
        if (messages < faults) {
            throw new IllegalArgumentException("messages=" + messages + ": at least one for each of faults=" + faults);
        }
        return new Settings(
                rows(given.getOrDefault("rows", "")),
                size(given, messages, faults),
                positive(given, "together"),
                Duration.ofMillis(number(given, "calm-ms")),
                Duration.ofSeconds(positive(given, "bound-s")),
                Path.of(given.getOrDefault("directory", "")));
    }

    private static RunSize size(Map<String, String> given, int messages, int faults) {
        String kinds = given.getOrDefault("kinds", RunSize.ALL);
        RunSize size = new RunSize(messages, faults, kinds, number(given, "seed"));
        List<FaultPlan.Fault> unused = FaultPlan.of(size); // refuses what isn't a kind
        return size;
    }

    private static List<Row> rows(String text) {
        if (text.equals("all")) {
            return List.of(Row.values());
        }
        return Arrays.stream(text.split(",", -1)).map(Row::of).distinct().toList();
    }

    private static int positive(Map<String, String> given, String name) {
        long value = number(given, name);
        if (value < 1 || value > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(name + "=" + value + ": a number from 1 on");
        }
        return (int) value;
    }

    private static long number(Map<String, String> given, String name) {
        String text = given.getOrDefault(name, "");
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(name + "=" + text + ": a number", e);
        }
    }
}
