package io.dedup.store.jdbc.internal.failure;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.store.jdbc.internal.sql.Database;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTimeoutException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Which failures of a commit, or of JPA's flush before it, prove that nothing was committed. */
class CommitAnswersTest {
    private static boolean proves(Database database, SQLException failure) {
        return new SqlErrors(database).provesRollback(new IllegalStateException(failure));
    }

    @ParameterizedTest
    @CsvSource({
        "POSTGRESQL, 54000, 0", // a row too large for its index
        "POSTGRESQL, AB123, 0", // a trigger's own
        "POSTGRESQL, 25P04, 0",
        "POSTGRESQL, 40001, 0",
        "MARIADB, 01000, 1265", // a value that an ENUM doesn't have
        "MARIADB, HY000, 1526", // no partition for a value
        "MARIADB, HY000, 1364",
        "MARIADB, HY000, 1153", // larger than the server takes: a commit never is
        "MARIADB, 45000, 31001", // a trigger's own
        "MYSQL, HY000, 3819", // a check
        "MYSQL, 40000, 3101", // group replication
        "H2, 90044, 90044", // a trigger's own
        "H2, 23505, 23505",
        "GENERIC, 23000, 1",
        "GENERIC, 54000, 1",
        "GENERIC, 72000, 20001", // Oracle: a trigger's own
        "GENERIC, 72000, 12899", // Oracle: a value too long
    })
    @DisplayName("the server has answered with an error")
    void answered(Database database, String state, int code) {
        assertThat(proves(database, new SQLException("", state, code))).isTrue();
        SQLException batch = new SQLException("batch");
        batch.setNextException(new SQLException("", state, code));
        assertThat(proves(database, batch)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "POSTGRESQL, 08006, 0",
        "POSTGRESQL, 57P01, 0",
        "POSTGRESQL, 57014, 0", // canceled: relatives of PostgreSQL may be in the middle of the commit
        "POSTGRESQL, 40003, 0",
        "POSTGRESQL, XX000, 0", // also what poolers and relatives say if they have lost the server
        "POSTGRESQL, 58030, 0",
        "POSTGRESQL, 53300, 0",
        "POSTGRESQL, 28000, 0", // said of another connection
        "POSTGRESQL, 25P01, 0", // no transaction is open: it may have been committed
        "POSTGRESQL, 99999, 0", // the driver's own
        "POSTGRESQL, '', 0",
        "POSTGRESQL, 55P03, 0", // a locked row
        "MARIADB, HY000, 1205", // a locked row
        "MARIADB, HY000, 1290", // a read-only server
        "MARIADB, 28000, 1045", // said of another connection
        "MARIADB, HY000, 1180",
        "MARIADB, HY000, 1181",
        "MARIADB, HY000, 1026", // cannot write a file
        "MARIADB, HY000, 1105", // Vitess, for everything
        "MARIADB, HY000, 1598", // no binary log
        "MARIADB, HY000, 0", // a driver's own
        "MARIADB, HY000, 2013", // ProxySQL and MaxScale have lost the server
        "MARIADB, HY000, 9001", // ProxySQL
        "MARIADB, 70100, 1317",
        "MARIADB, HY000, 1969",
        "MARIADB, 08S01, 1053",
        "MARIADB, , 0",
        "MYSQL, HY000, 3100", // group replication
        "MYSQL, HY000, 3024",
        "MYSQL, HY000, 4012", // OceanBase's timeout
        "MYSQL, HY000, 8022", // TiDB
        "MYSQL, S1000, 0", // the driver's own
        "MYSQL, 08007, 0",
        "H2, HY000, 50000",
        "H2, 90028, 90028", // cannot write
        "H2, 90031, 90031", // cannot write
        "H2, 90067, 90067", // connection broken
        "H2, 57014, 57014",
        "GENERIC, 72000, 1013", // Oracle: canceled
        "GENERIC, 72000, 603", // Oracle: the session has ended
        "GENERIC, 08007, 1",
        "GENERIC, 40003, 1",
        "GENERIC, HY000, 1",
        "GENERIC, AB123, 1",
        "GENERIC, , 0",
    })
    @DisplayName("nobody has answered, or not for certain")
    void unanswered(Database database, String state, int code) {
        assertThat(proves(database, new SQLException("", state, code))).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a failure of the connection counts more than whatever state it has")
    void connection(Database database) {
        for (String state : new String[] {"25S03", "23505", "54000"}) {
            assertThat(proves(database, new SQLNonTransientConnectionException("", state, 1265)))
                    .isFalse();
            assertThat(proves(database, new SQLRecoverableException("", state, 1265)))
                    .isFalse();
            assertThat(proves(database, new SQLTimeoutException("", state, 1265)))
                    .isFalse();
            SQLException first = new SQLException("", state, 1265);
            first.setNextException(new SQLException("", "08006"));
            assertThat(proves(database, first)).isFalse();
        }
    }
}
