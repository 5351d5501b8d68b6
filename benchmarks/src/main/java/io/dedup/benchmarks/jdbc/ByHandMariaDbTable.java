package io.dedup.benchmarks.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * A row for each message, claimed by an upsert that takes over what has ended and returns who has it now, completed by a
 * conditional update; on MariaDB. The index is what a purge of expired rows needs.
 */
final class ByHandMariaDbTable extends MariaDbUpserts {
    private static final String CREATE = """
            CREATE TABLE IF NOT EXISTS by_hand (
                id varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PRIMARY KEY,
                owner varchar(64), ends_at timestamp(6) NOT NULL, done boolean NOT NULL, KEY by_hand_ends_at (ends_at)
            ) ENGINE = InnoDB""";

    private static final String INSERT = "INSERT INTO by_hand (id, owner, ends_at, done) VALUES ";
    private static final String ROW = "(?, ?, NOW(6) + INTERVAL 30 SECOND, FALSE)";

    /** MariaDB assigns from left to right: the end of what was there comes last. */
    private static final String TAKE_OVER =
            " ON DUPLICATE KEY UPDATE owner = IF(ends_at < NOW(6), VALUES(owner), owner),"
                    + " done = done AND ends_at >= NOW(6), ends_at = IF(ends_at < NOW(6), VALUES(ends_at), ends_at)"
                    + " RETURNING id, owner, done";

    private static final String DONE =
            "UPDATE by_hand SET done = TRUE, owner = NULL, ends_at = NOW(6) + INTERVAL 24 HOUR WHERE owner = ? AND NOT done AND id";

    /** Creates the table if there is none. The caller closes the pool. */
    ByHandMariaDbTable(DataSource database) {
        super(database, new Sql(CREATE, INSERT, ROW, TAKE_OVER, DONE));
    }

    @Override
    State state(ResultSet row, String owner) throws SQLException {
        return owner.equals(row.getString(2)) ? State.MINE : row.getBoolean(3) ? State.DONE : State.IN_FLIGHT;
    }
}
