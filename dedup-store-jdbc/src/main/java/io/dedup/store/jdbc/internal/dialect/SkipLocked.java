package io.dedup.store.jdbc.internal.dialect;

import io.dedup.DedupKey;
import io.dedup.store.jdbc.internal.row.Rows;
import io.dedup.store.jdbc.internal.sql.KeyFormat;
import io.dedup.store.jdbc.internal.sql.KeyIndex;
import io.dedup.store.jdbc.internal.sql.Statements;
import io.dedup.store.jdbc.internal.sql.TableName;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A short transaction over rows that nobody else has locked. */
public final class SkipLocked {
    private static final String SUFFIX = " FOR UPDATE SKIP LOCKED";

    private final KeyFormat keys;
    private final Statements statements;
    private final String select;

    public SkipLocked(TableName table, KeyFormat keys, Statements statements) {
        this.keys = keys;
        this.statements = statements;
        this.select = table.in("SELECT message_id, scope FROM {table} WHERE scope = ? AND message_id IN (");
    }

    /** A piece of work within a transaction. */
    public interface Work<A> {
        A run() throws SQLException;
    }

    /** Runs the work in a transaction of its own; the connection is in autocommit mode before and after. */
    public static <A> A inTransaction(Connection connection, Work<A> work) throws SQLException {
        connection.setAutoCommit(false);
        try {
            A answer = work.run();
            connection.commit();
            return answer;
        } catch (SQLException | RuntimeException | Error e) {
            try {
                connection.rollback();
            } catch (SQLException rollback) {
                e.addSuppressed(rollback);
            }
            throw e;
        } finally {
            connection.setAutoCommit(true);
        }
    }

    /**
     * Locks the rows that no other session has locked, and returns their keys. Absent rows are neither locked nor
     * returned.
     */
    public Set<DedupKey> lock(Connection connection, Collection<DedupKey> keys) throws SQLException {
        Set<DedupKey> locked = new HashSet<>();
        for (List<DedupKey> ofScope : this.keys.byScope(keys)) {
            KeyIndex index = new KeyIndex(this.keys, ofScope);
            String sql = select + Statements.list("?", ofScope.size()) + ")" + SUFFIX;
            try (PreparedStatement statement = statements.prepare(connection, sql)) {
                Rows.bindKeys(statement, this.keys, ofScope);
                try (ResultSet result = statement.executeQuery()) {
                    while (result.next()) {
                        locked.add(index.key(result, 1));
                    }
                }
            }
        }
        return locked;
    }
}
