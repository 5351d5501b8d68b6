package io.dedup.ledger.plan;

import io.dedup.policy.DedupMode;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A row of the ledger: one mode of the framework, or one of the other ways to deal with duplicates. */
public enum Row implements Contender {
    LEASED_REDIS("dedup: LEASED, Redis", DedupMode.LEASED, Effect.CALL, 1, false),
    LEASED_JDBC("dedup: LEASED, JDBC", DedupMode.LEASED, Effect.CALL, 0, true),
    LEASED_TRANSACTIONAL("dedup: LEASED_TRANSACTIONAL", DedupMode.LEASED_TRANSACTIONAL, Effect.ROW, 0, true),
    TRANSACTIONAL("dedup: TRANSACTIONAL", DedupMode.TRANSACTIONAL, Effect.ROW, 0, true),
    TIERED("dedup: TIERED", DedupMode.TIERED, Effect.ROW, 1, true),

    NONE("no dedup at all", Effect.CALL, 0, false),
    STATUS("business row's status, then act", Effect.ROW, 0, true),
    CACHE("cache, then act, then cache", Effect.CALL, 1, false),
    MARK("SETNX mark, then act", Effect.CALL, 1, false),
    LOCK_ROW("lock row, act, deleted", Effect.CALL, 0, true),
    COUNTER("INCR counter, act, deleted", Effect.CALL, 1, false),
    TOKEN("one-time token by Lua, then act", Effect.CALL, 1, false),
    SETNX("SETNX with timeout, act, deleted", Effect.CALL, 1, false),
    SETNX_OWNER("SETNX with timeout, act, deleted by owner", Effect.CALL, 1, false),
    GETSET("SETNX lock, GETSET takeover; check, act, mark", Effect.CALL, 1, false),
    REDISSON("Redisson lock; check, act, mark", Effect.CALL, 1, false),
    QUORUM("quorum lock on 3 masters; check, act, mark", Effect.CALL, 3, false),
    FOR_UPDATE("SELECT FOR UPDATE in the transaction", Effect.ROW, 0, true),
    OPTIMISTIC("optimistic version in the transaction", Effect.ROW, 0, true),
    UNIQUE_ROW("unique row in the transaction", Effect.ROW, 0, true),
    EVERYTHING("lock, cache and unique row together", Effect.ROW, 1, true),

    CAMEL_JDBC("Camel idempotent consumer, JDBC", Effect.CALL, 0, true),
    CAMEL_JDBC_TX("Camel idempotent consumer, JDBC, in the transaction", Effect.ROW, 0, true),
    CAMEL_REDIS("Camel idempotent consumer, Redis", Effect.CALL, 1, false),
    INTEGRATION("Spring Integration idempotent receiver, JDBC", Effect.CALL, 0, true),
    INTEGRATION_TX("Spring Integration idempotent receiver, JDBC, in the transaction", Effect.ROW, 0, true),

    LEASED_THREE("dedup: LEASED, Redis, three effects", DedupMode.LEASED, Effect.CALL, 1, false),
    LEASED_STEPS("dedup: LEASED, Redis, with steps, three effects", DedupMode.LEASED, Effect.CALL, 1, false),
    TRANSACTIONAL_POLL("dedup: TRANSACTIONAL, a poll in a transaction", DedupMode.TRANSACTIONAL, Effect.ROW, 0, true);

    /** Where the effect is. */
    public enum Effect {
        /** A call to another process, which takes part in no transaction. */
        CALL,
        /** A row in the database that holds the record as well, in one transaction with it. */
        ROW
    }

    private final String title;
    private final @Nullable DedupMode mode;
    private final Effect effect;
    private final int redisServers;
    private final boolean database;

    Row(String title, Effect effect, int redisServers, boolean database) {
        this(title, null, effect, redisServers, database);
    }

    Row(String title, @Nullable DedupMode mode, Effect effect, int redisServers, boolean database) {
        this.title = title;
        this.mode = mode;
        this.effect = effect;
        this.redisServers = redisServers;
        this.database = database;
    }

    /** Part of the names of its topic, tables and keys; what {@link #of} takes. */
    @Override
    public String id() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    @Override
    public String title() {
        return title;
    }

    /** Handlers with several effects are compared with each other, and consume in the plain way. */
    @Override
    public int effects() {
        return this == LEASED_THREE || this == LEASED_STEPS ? 3 : 1;
    }

    @Override
    public boolean repeatsOnFailure() {
        return this == LEASED_THREE;
    }

    /** Empty for what isn't ours. */
    public Optional<DedupMode> mode() {
        return Optional.ofNullable(mode);
    }

    /** The shapes that dedup supports for it, without share groups; none for what isn't ours. */
    List<Shape> shapes() {
        return mode().map(Shape::of).orElse(List.of()).stream()
                .filter(shape -> !spansPolls() || shape == Shape.RECORD || shape == Shape.RECORD_ACK)
                .toList();
    }

    /** Whether a transaction of its handlers spans several records of a poll. */
    public boolean spansPolls() {
        return this == TRANSACTIONAL_POLL;
    }

    public Effect effect() {
        return effect;
    }

    /** How many Redis servers it needs. */
    public int redisServers() {
        return redisServers;
    }

    /** Whether it needs a database. */
    public boolean database() {
        return database;
    }

    @Override
    public boolean forgets() {
        return effect == Effect.CALL && (redisServers > 0 || database);
    }

    @Override
    public boolean isOurs() {
        return mode != null;
    }

    @Override
    public boolean isExact() {
        return mode != null && mode != DedupMode.LEASED;
    }

    /** @throws IllegalArgumentException when there is none */
    public static Row of(String id) {
        return Arrays.stream(values())
                .filter(row -> row.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no row " + id + "; there are "
                        + Arrays.stream(values()).map(Row::id).toList()));
    }
}
