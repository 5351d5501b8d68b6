package io.dedup.testservers.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("long")
final class SqlPairTest {

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void postgres(boolean synchronous) throws SQLException {
        try (SqlPair pair = PostgresServers.startPair(synchronous)) {
            survivesItsPrimaries(pair);
        }
    }

    @Test
    void mariaDb() throws SQLException {
        try (SqlPair pair = MariaDbServers.startPair(true)) {
            survivesItsPrimaries(pair);
        }
    }

    @Test
    void whatACutReplicaMissesIsGone() throws SQLException {
        try (SqlPair pair = PostgresServers.startPair(false)) {
            SqlDatabase database = pair.primary().newDatabase();
            Sql.execute(database, "CREATE TABLE t (a int)");
            SqlDatabase onReplica =
                    new SqlDatabase(through(pair.primary(), pair.primaryPort(), pair.replicaPort()), database.name());
            Awaitility.await("the replica has the table")
                    .ignoreExceptions()
                    .untilAsserted(() -> assertThat(Sql.query(onReplica, "SELECT count(*) FROM t"))
                            .isEqualTo("0"));
            pair.cutReplica();
            Sql.execute(database, "INSERT INTO t VALUES (1)");
            pair.killPrimary();
            pair.promote();
            assertThat(Sql.query(onReplica, "SELECT count(*) FROM t")).isEqualTo("0");
        }
    }

    private static void survivesItsPrimaries(SqlPair pair) throws SQLException {
        SqlDatabase first = pair.primary().newDatabase();
        Sql.execute(first, "CREATE TABLE t (a int)", "INSERT INTO t VALUES (1)");
        for (int round = 2; round < 4; round++) {
            int primary = pair.primaryPort();
            int replica = pair.replicaPort();
            SqlDatabase onReplica = new SqlDatabase(through(pair.primary(), primary, replica), first.name());
            Awaitility.await("the replica has the table")
                    .untilAsserted(() -> assertThatThrownBy(() -> Sql.execute(onReplica, "INSERT INTO t VALUES (0)"))
                            .hasMessageContaining("read-only"));
            pair.killPrimary();
            pair.promote();
            assertThat(pair.primaryPort()).isEqualTo(replica);
            assertThat(pair.replicaPort()).isEqualTo(primary);
            SqlDatabase now = new SqlDatabase(pair.primary(), first.name());
            Sql.execute(now, "INSERT INTO t VALUES (" + round + ")");
            assertThat(Sql.query(now, "SELECT max(a) FROM t")).isEqualTo("" + round);
            pair.replaceReplica();
            Sql.execute(now, "UPDATE t SET a = a");
            assertThat(Sql.query(now, "SELECT count(*) FROM t")).isEqualTo("" + round);
        }
    }

    private static SqlAddress through(SqlAddress address, int from, int to) {
        return new SqlAddress(
                address.prefix().replace(":" + from, ":" + to),
                address.adminDatabase(),
                address.options(),
                address.user(),
                address.password());
    }
}
