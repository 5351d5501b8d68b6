package io.dedup.benchmarks.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * What {@link ByHandMariaDbTable} becomes if it has to promise what dedup does: a fencing token, a count of attempts, and a clock
 * that is read after a wait for a lock. That each wait ends is left to the settings of a pool of its own, which cost nothing; on
 * MariaDB.
 */
final class FencedMariaDbTable extends MariaDbUpserts {
    private static final String CREATE = """
            CREATE TABLE IF NOT EXISTS by_hand_fenced (
                id varbinary(255) PRIMARY KEY, owner varbinary(64), token bigint NOT NULL, attempt int NOT NULL,
                ends_at bigint NOT NULL, done boolean NOT NULL, KEY by_hand_fenced_ends_at (ends_at)
            ) ENGINE = InnoDB""";

    /** In microseconds. NOW is the start of the statement, also after a wait. */
    private static final String CLOCK = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', SYSDATE(6))";

    private static final String INSERT =
            "INSERT INTO by_hand_fenced (id, owner, token, attempt, ends_at, done) VALUES ";
    private static final String ROW = "(?, ?, " + CLOCK + ", 1, token + 30000000, FALSE)";

    /** MariaDB assigns from left to right: the end of what was there comes last. */
    private static final String TAKE_OVER =
            " ON DUPLICATE KEY UPDATE owner = IF(ends_at < VALUES(token), VALUES(owner), owner),"
                    + " token = IF(ends_at < VALUES(token), GREATEST(token + 1, VALUES(token)), token),"
                    + " attempt = IF(ends_at < VALUES(token), IF(done, 1, attempt + 1), attempt),"
                    + " done = done AND ends_at >= VALUES(token),"
                    + " ends_at = IF(ends_at < VALUES(token), VALUES(ends_at), ends_at)"
                    + " RETURNING id, owner, token, attempt, done";

    private static final String DONE = "UPDATE by_hand_fenced SET done = TRUE, owner = NULL, ends_at = " + CLOCK
            + " + 86400000000 WHERE owner = ? AND NOT done AND id";

    /** Creates the table if there is none. The caller closes the pool. */
    FencedMariaDbTable(DataSource database) {
        super(database, new Sql(CREATE, INSERT, ROW, TAKE_OVER, DONE));
    }

    @Override
    State state(ResultSet row, String owner) throws SQLException {
        boolean isMine = owner.equals(row.getString(2)) && row.getLong(3) > 0 && row.getInt(4) > 0;
        return isMine ? State.MINE : row.getBoolean(5) ? State.DONE : State.IN_FLIGHT;
    }
}
