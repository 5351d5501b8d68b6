package io.dedup.ledger.consumer;

import io.dedup.ledger.plan.Row;
import io.dedup.ledger.scheme.Stores;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a consumer process is told by its argument.
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
    private static final JsonMapper JSON = new JsonMapper();

    /**
     * Where a row finds its stores.
     *
     * @param jdbcUrl null for a row without a database
     */
    public record Place(
            Row row, List<Integer> redisPorts, @Nullable String jdbcUrl) {}

    /** What {@link #of} takes: one argument. */
    public String argument() {
        return JSON.writeValueAsString(this);
    }

    static Assignment of(String argument) {
        return JSON.readValue(argument, Assignment.class);
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
