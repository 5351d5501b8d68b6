package io.dedup.testservers.sql;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL primary and a replica that streams from it. Where commits wait for the replica ({@code synchronous}),
 * {@code synchronous_standby_names} is {@code *} while there is one, and empty from a promotion on until there is another,
 * which is what a failover manager does.
 */
final class PostgresPair implements SqlPair {

    private static final String FOLLOWS = "SELECT count(*) AS n FROM pg_stat_replication WHERE state = 'streaming'";

    private final boolean synchronous;
    private volatile PostgresServer primary;
    private volatile @Nullable PostgresServer replica;
    private volatile int replicaPort;

    private PostgresPair(boolean synchronous, PostgresServer primary) {
        this.synchronous = synchronous;
        this.primary = primary;
    }

    static PostgresPair start(boolean synchronous) {
        PostgresServer primary = settings(PostgresServers.builder()).start();
        PostgresPair pair = new PostgresPair(synchronous, primary);
        try {
            pair.follow(settings(PostgresServers.builder()));
        } catch (RuntimeException | Error e) {
            pair.close();
            throw e;
        }
        return pair;
    }

    private static PostgresServer.Builder settings(PostgresServer.Builder builder) {
        return builder.setting("wal_keep_size", "512MB").setting("synchronous_commit", "on");
    }

    private void follow(PostgresServer.Builder builder) {
        try (AdminSession session = AdminSession.of(primary.address())) {
            PostgresServer started = builder.following(primary, session).start();
            replica = started;
            replicaPort = started.port();
            session.await(FOLLOWS, "n", "1");
            if (synchronous) {
                session.execute("ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()");
                session.await(FOLLOWS + " AND sync_state = 'sync'", "n", "1");
            }
        }
    }

    @Override
    public SqlAddress primary() {
        return primary.address();
    }

    @Override
    public int primaryPort() {
        return primary.port();
    }

    @Override
    public int replicaPort() {
        return replicaPort;
    }

    @Override
    public void cutReplica() {
        PostgresServer following = Objects.requireNonNull(replica, "there is no replica");
        try (AdminSession session = AdminSession.of(following.address())) {
            session.execute("ALTER SYSTEM SET primary_conninfo = ''", "SELECT pg_reload_conf()");
            session.await("SELECT count(*) AS n FROM pg_stat_wal_receiver", "n", "0");
        }
    }

    @Override
    public void killPrimary() {
        primary.kill();
        primary.close();
    }

    @Override
    public void promote() {
        PostgresServer promoted = Objects.requireNonNull(replica, "there is no replica to be promoted");
        try (AdminSession session = AdminSession.of(promoted.address())) {
            session.execute("SELECT pg_promote(true, 120)");
            session.await("SELECT pg_is_in_recovery() AS r", "r", "f");
        }
        replicaPort = primary.port();
        primary = promoted;
        replica = null;
    }

    @Override
    public void replaceReplica() {
        follow(settings(PostgresServers.builder()).port(replicaPort));
    }

    @Override
    public void close() {
        if (replica != null) {
            replica.close();
        }
        primary.close();
    }
}
