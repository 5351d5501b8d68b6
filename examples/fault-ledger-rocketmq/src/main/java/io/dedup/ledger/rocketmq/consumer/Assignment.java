package io.dedup.ledger.rocketmq.consumer;

import io.dedup.ledger.rocketmq.plan.Circumstances;
import io.dedup.ledger.rocketmq.plan.RocketRow;
import io.dedup.ledger.scheme.Stores;
import java.util.List;
import tools.jackson.databind.json.JsonMapper;

/**
 * The argument of a consumer process.
 *
 * @param run what topics and groups begin with
 * @param seed decides each row's circumstances
 * @param endpoints of RocketMQ's proxy
 * @param nameServer for the older client
 * @param effectsPort where effects are counted
 * @param acknowledgmentsPort where acknowledgments are counted
 */
public record Assignment(
        String run,
        long seed,
        String endpoints,
        String nameServer,
        int effectsPort,
        int acknowledgmentsPort,
        String user,
        String password,
        List<Place> places) {
    /** After how many retries a message goes to the dead letters. */
    public static final int MAX_RETRIES = 16;

    private static final JsonMapper JSON = new JsonMapper();

    /**
     * Where a row finds its stores.
     *
     * @param redisPort 0 for a row without Redis
     * @param jdbcUrl empty for a row without a database
     */
    public record Place(RocketRow row, int redisPort, String jdbcUrl) {}

    /** What {@link #of} takes: one argument. */
    public String argument() {
        return JSON.writeValueAsString(this);
    }

    static Assignment of(String argument) {
        return JSON.readValue(argument, Assignment.class);
    }

    /** Of a row, its dead letters excepted. */
    public static String topic(String run, RocketRow row) {
        return run + "-" + row.id();
    }

    /** The consumer group of a row. */
    public static String group(String run, RocketRow row) {
        return "g-" + topic(run, row);
    }

    Circumstances circumstances(Place place) {
        return Circumstances.of(seed, place.row());
    }

    Stores stores(Place place) {
        return new Stores(
                place.row().id(),
                place.redisPort() == 0 ? List.of() : List.of(place.redisPort()),
                place.jdbcUrl().isEmpty() ? null : place.jdbcUrl(),
                user,
                password,
                0);
    }
}
