package io.dedup.soak.plan;

import java.util.Locale;

/** A listener of the consumer process, with a topic and a group of its own. */
public enum Lane {
    /** Record by record, a poll's claims ahead, partitions shared by a cooperative assignor. */
    REDIS(5, false),
    /** In batches, partitions shared by an eager assignor. */
    REDIS_BATCH(2, false),
    /** Acknowledges each record from another thread; the broker assigns partitions. */
    REDIS_MANUAL(2, false),
    /** Record by record, a poll's claims ahead, in a database. */
    JDBC(1, true);

    private final int share;
    private final boolean database;

    Lane(int share, boolean database) {
        this.share = share;
        this.database = database;
    }

    /** Of ten messages. */
    public int share() {
        return share;
    }

    public boolean isDatabase() {
        return database;
    }

    /** Its topic and its group, and part of the names of its files. */
    public String id() {
        return "soak-" + name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
