package io.dedup.store.jdbc.internal.operation;

import io.dedup.LiveLease;
import io.dedup.store.jdbc.internal.row.Row;
import io.dedup.store.jdbc.internal.row.Rows;
import io.dedup.store.jdbc.internal.sql.KeyBytes;
import io.dedup.store.jdbc.internal.sql.KeyFormat;
import io.dedup.store.jdbc.internal.sql.Statements;
import io.dedup.store.jdbc.internal.sql.TableName;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Deletes the rows of a message ID in all scopes. The primary key begins with the ID, so nothing else is read. */
public final class ErasedRows {
    private final TableName table;
    private final KeyFormat keys;
    private final Rows rows;
    private final Statements statements;
    private final String select;

    public ErasedRows(TableName table, KeyFormat keys, Rows rows, Statements statements) {
        this.table = table;
        this.keys = keys;
        this.rows = rows;
        this.statements = statements;
        this.select = table.in("SELECT scope, " + Rows.COLUMNS + " FROM {table} WHERE message_id = ?");
    }

    /**
     * Checks that the table has message IDs to find.
     *
     * @throws UnsupportedOperationException if it has digests in place of them, which contain the scope
     */
    void requirePlainKeys() {
        if (keys == KeyFormat.DIGEST) {
            throw new UnsupportedOperationException("table " + table
                    + " keeps digests of scopes and message IDs (keyFormat DIGEST), so a message ID cannot be erased in all"
                    + " scopes: call forget for each scope");
        }
    }

    /**
     * What one pass has done.
     *
     * @param live the scopes of rows that were kept, because their leases are live
     * @param again whether another session changed a row first
     */
    record Pass(long erased, List<String> live, boolean again) {}

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Found(byte[] scope, Row row) {}

    /** @param now the database's time in microseconds; a lease counts as live by it */
    Pass run(Connection connection, String storedId, LiveLease liveLease, long now) throws SQLException {
        byte[] messageId = KeyBytes.utf8(storedId);
        long erased = 0;
        boolean again = false;
        List<String> live = new ArrayList<>();
        for (Found found : find(connection, messageId)) {
            if (found.row().isLive(now) && liveLease == LiveLease.RESPECT) {
                live.add(KeyBytes.text(found.scope()));
            } else if (rows.delete(connection, messageId, found.scope(), found.row())) {
                erased++;
            } else {
                again = true;
            }
        }
        return new Pass(erased, live, again);
    }

    private List<Found> find(Connection connection, byte[] messageId) throws SQLException {
        List<Found> found = new ArrayList<>();
        try (PreparedStatement statement = statements.prepare(connection, select)) {
            statement.setBytes(1, messageId);
            try (ResultSet result = statement.executeQuery()) {
                while (result.next()) {
                    found.add(new Found(result.getBytes(1), Rows.row(result, 2)));
                }
            }
        }
        return found;
    }
}
