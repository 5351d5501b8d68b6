package io.dedup.ledger.consumer;

import io.dedup.ledger.plan.Row;
import io.dedup.ledger.scheme.Stores;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a consumer process is told by its arguments.
 *
 * @param run what topics and groups begin with
 * @param seed decides how groups share their partitions
 * @param effectsPort where effects are counted
 * @param skewMillis how much its host's clock is wrong
 */
public record Assignment(
        String bootstrap,
        String run,
        long seed,
        int effectsPort,
        long skewMillis,
        String user,
        String password,
        List<Place> places) {
    private static final String NO_DATABASE = "-";

    /**
     * Where a row finds its stores.
     *
     * @param jdbcUrl null for a row without a database
     */
    public record Place(
            Row row, List<Integer> redisPorts, @Nullable String jdbcUrl) {
        String text() {
            return row.id() + "|"
                    + redisPorts.stream().map(String::valueOf).collect(Collectors.joining(",")) + "|"
                    + (jdbcUrl == null ? NO_DATABASE : jdbcUrl);
        }

        static Place of(String text) {
            String[] parts = text.split("\\|", -1);
            List<Integer> ports = parts[1].isEmpty()
                    ? List.of()
                    : Arrays.stream(parts[1].split(",", -1))
                            .map(Integer::valueOf)
                            .toList();
            return new Place(Row.of(parts[0]), ports, parts[2].equals(NO_DATABASE) ? null : parts[2]);
        }
    }

    private static final int FIXED = 7;

    public List<String> arguments() {
        return List.of(
                bootstrap,
                run,
                Long.toString(seed),
                Integer.toString(effectsPort),
                Long.toString(skewMillis),
                user,
                password,
                places.stream().map(Place::text).collect(Collectors.joining(" ")));
    }

    static Assignment of(String[] arguments) {
        return new Assignment(
                arguments[0],
                arguments[1],
                Long.parseLong(arguments[2]),
                Integer.parseInt(arguments[3]),
                Long.parseLong(arguments[4]),
                arguments[5],
                arguments[6],
                Arrays.stream(arguments[FIXED].split(" ", -1)).map(Place::of).toList());
    }

    /** Of a row, its dead letters excepted. */
    public static String topic(String run, Row row) {
        return run + "-" + row.id();
    }

    /** Where a row's dead letters go. */
    public static String deadLetters(String run, Row row) {
        return topic(run, row) + "-dlt";
    }

    Stores stores(Place place) {
        return new Stores(place.row().id(), place.redisPorts(), place.jdbcUrl(), user, password, skewMillis);
    }
}
