package io.dedup.store.jdbc.internal.dialect;

import io.dedup.DedupKey;
import io.dedup.store.jdbc.internal.dialect.RecordDialect.WrittenRecord;
import io.dedup.store.jdbc.internal.row.Rows;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.store.jdbc.internal.sql.KeyFormat;
import io.dedup.store.jdbc.internal.sql.Statements;
import io.dedup.store.jdbc.internal.sql.TableName;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The statements of a handler's transaction that are the same on several databases. Thread-safe. */
public final class RecordStatements {
    private final Statements statements;
    private final TableName table;
    private final KeyFormat keys;
    private final String check;
    private final String remove;

    public RecordStatements(JdbcSettings settings, Statements statements) {
        this.statements = statements;
        this.table = settings.table();
        this.keys = settings.keys();
        this.check = table.in("SELECT 1 FROM {table} WHERE message_id = ? AND scope = ? AND token = ?");
        this.remove = table.in("DELETE FROM {table} WHERE scope = ? AND message_id IN (");
    }

    /** Writes the row that proves at the end of the transaction that it is still the same transaction. */
    public TransactionMarker mark(Connection connection) throws SQLException {
        return TransactionMarker.put(connection, statements, table);
    }

    /**
     * For databases that silently begin a new transaction: the record could be missing, belong to another run, or be an
     * older one.
     */
    public void checkWritten(Connection connection, @Nullable WrittenRecord written) throws SQLException {
        if (written != null && !isThere(connection, written)) {
            throw UndoneTransaction.failure();
        }
    }

    private boolean isThere(Connection connection, WrittenRecord written) throws SQLException {
        try (PreparedStatement statement = statements.prepare(connection, check)) {
            statement.setBytes(1, keys.messageId(written.key()));
            statement.setBytes(2, keys.scope(written.key()));
            statement.setLong(3, written.token());
            try (ResultSet result = statement.executeQuery()) {
                return result.next();
            }
        }
    }

    /** Removes rows, for databases that find them by a list of IDs without touching others. */
    public void remove(Connection connection, Collection<DedupKey> keys) throws SQLException {
        for (List<DedupKey> ofScope : this.keys.byScope(keys)) {
            String sql = remove + Statements.list("?", ofScope.size()) + ")";
            try (PreparedStatement statement = statements.prepare(connection, sql)) {
                Rows.bindKeys(statement, this.keys, ofScope);
                statement.executeUpdate();
            }
        }
    }

    /**
     * Stores a result in the row of a record.
     *
     * @param alsoSet further assignments, each starting with a comma; may be empty
     * @return whether the row exists
     */
    public boolean keepResult(Connection connection, String alsoSet, DedupKey key, byte[] result) throws SQLException {
        String sql = table.in("UPDATE {table} SET result = ?" + alsoSet + " WHERE message_id = ? AND scope = ?");
        try (PreparedStatement statement = statements.prepare(connection, sql)) {
            statement.setBytes(1, result);
            statement.setBytes(2, keys.messageId(key));
            statement.setBytes(3, keys.scope(key));
            return statement.executeUpdate() == 1;
        }
    }
}
