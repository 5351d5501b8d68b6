package io.dedup.testservers.sql;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A MariaDB primary and a replica that follows it by global transaction IDs. Where commits wait for the replica ({@code
 * synchronous}), that is semi-synchronous replication with {@code AFTER_SYNC}, without a timeout after which it would continue
 * without the replica; from a promotion on until there is another replica commits don't wait.
 *
 * <p>A new replica starts empty and is sent everything since the first primary's start.
 */
final class MariaDbPair implements SqlPair {

    private static final String APPLICATION = "app";
    private static final String REPLICATION = "replication";
    private static final String STATUS = "SHOW SLAVE STATUS";
    private static final String CLIENTS = "SHOW STATUS LIKE 'Rpl_semi_sync_master_clients'";

    private final boolean synchronous;
    private volatile MariaDbServer primary;
    private volatile @Nullable MariaDbServer replica;
    private volatile int replicaPort;
    private int servers;

    private MariaDbPair(boolean synchronous) {
        this.synchronous = synchronous;
        this.primary = settings(MariaDbServers.builder()).start();
    }

    static MariaDbPair start(boolean synchronous) {
        MariaDbPair pair = new MariaDbPair(synchronous);
        try {
            try (AdminSession session = AdminSession.of(pair.primary.address())) {
                for (String user : new String[] {APPLICATION, REPLICATION}) {
                    session.execute(
                            "CREATE USER " + user + "@'%' IDENTIFIED BY '" + user + "'",
                            "GRANT ALL ON *.* TO " + user + "@'%'");
                }
                session.execute("REVOKE SUPER, READ_ONLY ADMIN ON *.* FROM " + APPLICATION + "@'%'");
            }
            pair.follow(pair.settings(MariaDbServers.builder()));
        } catch (RuntimeException | Error e) {
            pair.close();
            throw e;
        }
        return pair;
    }

    private MariaDbServer.Builder settings(MariaDbServer.Builder builder) {
        servers++;
        return builder.setting("server-id", Integer.toString(servers))
                .setting("log-bin", "log")
                .setting("binlog-format", "ROW")
                .setting("log-slave-updates", "ON")
                .setting("gtid-strict-mode", "ON")
                .setting("slave-net-timeout", "10")
                .setting("rpl-semi-sync-slave-enabled", synchronous ? "ON" : "OFF")
                .setting("rpl-semi-sync-master-wait-point", "AFTER_SYNC")
                .setting("rpl-semi-sync-master-timeout", "3600000");
    }

    private void follow(MariaDbServer.Builder builder) {
        MariaDbServer started = builder.setting("read-only", "ON").start();
        replica = started;
        replicaPort = started.port();
        try (AdminSession of = AdminSession.of(started.address());
                AdminSession session = AdminSession.of(primary.address())) {
            of.execute(
                    "CHANGE MASTER TO MASTER_HOST='" + primary.host() + "', MASTER_PORT=" + primary.port()
                            + ", MASTER_USER='" + REPLICATION + "', MASTER_PASSWORD='" + REPLICATION
                            + "', MASTER_USE_GTID=slave_pos, MASTER_CONNECT_RETRY=1, MASTER_SSL=0, MASTER_SSL_VERIFY_SERVER_CERT=0",
                    "START SLAVE");
            of.await(STATUS, "Slave_IO_Running", "Yes");
            of.await(STATUS, "Slave_SQL_Running", "Yes");
            String position = session.query("SELECT @@gtid_binlog_pos AS p", "p");
            of.await("SELECT MASTER_GTID_WAIT('" + position + "', 120) AS w", "w", "0");
            if (synchronous) {
                session.execute("SET GLOBAL rpl_semi_sync_master_enabled = ON");
                session.await(CLIENTS, "Value", "1");
            }
        }
    }

    @Override
    public SqlAddress primary() {
        return new SqlAddress(primary.address().prefix(), "", "", APPLICATION, APPLICATION);
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
        MariaDbServer following = Objects.requireNonNull(replica, "there is no replica");
        try (AdminSession session = AdminSession.of(following.address())) {
            session.execute("STOP SLAVE IO_THREAD");
        }
    }

    @Override
    public void killPrimary() {
        primary.kill();
        primary.close();
    }

    /** What the replica has received waits in its relay log; {@code RESET SLAVE} throws away what isn't applied. */
    @Override
    public void promote() {
        MariaDbServer promoted = Objects.requireNonNull(replica, "there is no replica to be promoted");
        try (AdminSession session = AdminSession.of(promoted.address())) {
            session.execute("STOP SLAVE IO_THREAD");
            String received = session.query(STATUS, "Gtid_IO_Pos");
            session.await("SELECT MASTER_GTID_WAIT('" + received + "', 120) AS w", "w", "0");
            session.execute(
                    "STOP SLAVE",
                    "RESET SLAVE ALL",
                    "SET GLOBAL rpl_semi_sync_slave_enabled = OFF",
                    "SET GLOBAL read_only = OFF");
        }
        replicaPort = primary.port();
        primary = promoted;
        replica = null;
    }

    @Override
    public void replaceReplica() {
        follow(settings(MariaDbServers.builder()).port(replicaPort));
    }

    @Override
    public void close() {
        if (replica != null) {
            replica.close();
        }
        primary.close();
    }
}
