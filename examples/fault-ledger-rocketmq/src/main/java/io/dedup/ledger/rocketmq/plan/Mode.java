package io.dedup.ledger.rocketmq.plan;

import io.dedup.policy.DedupMode;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How duplicates are handled, and where records are kept. */
public enum Mode {
    LEASED_REDIS("LEASED, Redis", DedupMode.LEASED, true, false),
    LEASED_JDBC("LEASED, JDBC", DedupMode.LEASED, false, true),
    LEASED_TRANSACTIONAL("LEASED_TRANSACTIONAL", DedupMode.LEASED_TRANSACTIONAL, false, true),
    TRANSACTIONAL("TRANSACTIONAL", DedupMode.TRANSACTIONAL, false, true),
    TIERED("TIERED", DedupMode.TIERED, true, true),
    NONE("no dedup at all", null, false, false);

    private final String title;

    @Nullable
    private final DedupMode dedup;

    private final boolean redis;
    private final boolean database;

    Mode(String title, @Nullable DedupMode dedup, boolean redis, boolean database) {
        this.title = title;
        this.dedup = dedup;
        this.redis = redis;
        this.database = database;
    }

    String title() {
        return title;
    }

    /** Empty for a handler as it is. */
    public Optional<DedupMode> dedup() {
        return Optional.ofNullable(dedup);
    }

    public boolean redis() {
        return redis;
    }

    public boolean database() {
        return database;
    }

    /** Whether the effect is a row in the transaction of the record; otherwise it is a call to another process. */
    public boolean isTransactional() {
        return dedup != null && dedup.isTransactional();
    }
}
