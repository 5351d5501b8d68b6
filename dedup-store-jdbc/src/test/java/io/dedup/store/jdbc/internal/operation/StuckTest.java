package io.dedup.store.jdbc.internal.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.DedupKey;
import io.dedup.store.ClaimRequest;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.jdbc.JdbcDialect;
import io.dedup.store.jdbc.internal.sql.KeyFormat;
import io.dedup.store.jdbc.internal.sql.TableName;
import io.dedup.store.jdbc.support.Messages;
import io.dedup.store.jdbc.support.OnEachDatabase;
import io.dedup.store.jdbc.support.Rival;
import io.dedup.store.jdbc.support.TestDatabase;
import io.dedup.store.operator.StuckQuery;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the published contract cannot know of the list of what is stuck. */
class StuckTest {
    private static final StuckQuery ALL = new StuckQuery(null, Duration.ZERO, 10);

    private final Messages messages = new Messages();

    @OnEachDatabase
    @DisplayName("a row that somebody has locked holds nobody up, and is listed as it was committed")
    @SuppressWarnings("try") // a rival only has to be there
    void lockedRows(JdbcDialect dialect) throws SQLException {
        try (TestDatabase database = TestDatabase.open(dialect)) {
            JdbcDedupStore store = database.hastyStore();
            DedupKey key = messages.key();
            ClaimRequest claim = Messages.claim(key);
            Messages.assertAcquired(Messages.only(store.claim(List.of(claim))), 1);
            try (Rival rival = Rival.locking(database, key)) {
                assertThat(store.findStuck(ALL).records()).singleElement().satisfies(record -> {
                    assertThat(record.key(key.scope())).isEqualTo(key);
                    assertThat(record.record().owner()).isEqualTo(claim.owner());
                });
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    @DisplayName("a statement that takes too long is ended by its own timeout")
    void tooLong(JdbcDialect dialect) throws SQLException {
        try (TestDatabase database = TestDatabase.open(dialect)) {
            JdbcDedupStore unused = database.store();
            StuckRows rows = new StuckRows(TableName.parse(TableName.DEFAULT), KeyFormat.PLAIN, 1);
            try (Connection rival = database.connect();
                    Statement lock = rival.createStatement();
                    Connection connection = database.connect()) {
                rival.setAutoCommit(false);
                lock.execute(
                        dialect == JdbcDialect.POSTGRESQL
                                ? "LOCK TABLE dedup_record IN ACCESS EXCLUSIVE MODE"
                                : "LOCK TABLES dedup_record WRITE");
                assertThatThrownBy(() -> rows.find(connection, ALL, 1)).isInstanceOf(SQLException.class);
                rival.rollback();
            }
        }
    }
}
