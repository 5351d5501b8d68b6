package io.dedup.ledger.consumer;

import io.dedup.ledger.plan.Combination;
import io.dedup.ledger.plan.Row;
import io.dedup.ledger.scheme.Stores;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * The argument of a consumer process.
 *
 * @param run what topics and groups begin with
 * @param effectsPort where effects are counted
 * @param process which of the consumer processes; the replacement of a killed process has its number
 * @param skewMillis how much its host's clock is wrong
 * @param idsAreThere whether IDs that come late have come
 */
public record Assignment(
        String bootstrap,
        String run,
        int process,
        int effectsPort,
        long skewMillis,
        boolean idsAreThere,
        String user,
        String password,
        List<Place> places) {
    /** Of records whose message was sent before. */
    public static final String COPY_HEADER = "copy";

    /** How often the broker delivers a record to a share group. */
    public static final int SHARE_DELIVERIES = 10;

    private static final String RETRY_SUFFIX = "-retry";
    private static final JsonMapper JSON = new JsonMapper();

    /**
     * Where a row finds its stores, and in which circumstances it consumes.
     *
     * @param jdbcUrl null for a row without a database
     */
    public record Place(
            Row row,
            Combination combination,
            List<Integer> redisPorts,
            @Nullable String jdbcUrl) {}

    /** What {@link #of} takes: one argument. */
    public String argument() {
        return JSON.writeValueAsString(this);
    }

    static Assignment of(String argument) {
        return JSON.readValue(argument, Assignment.class);
    }

    /** The topic of a row, without its dead letters. */
    public static String topic(String run, Row row) {
        return run + "-" + row.id();
    }

    /** Where a row's dead letters go. */
    public static String deadLetters(String run, Row row) {
        return topic(run, row) + "-dlt";
    }

    /** Where a row's outputs go that are sent in Kafka transactions. */
    public static String outputs(String run, Row row) {
        return topic(run, row) + "-out";
    }

    /** Where a row's failed messages wait for their next attempt. */
    public static String retries(String run, Row row) {
        return topic(run, row) + RETRY_SUFFIX;
    }

    Stores stores(Place place) {
        return new Stores(place.row().id(), place.redisPorts(), place.jdbcUrl(), user, password, skewMillis);
    }
}
