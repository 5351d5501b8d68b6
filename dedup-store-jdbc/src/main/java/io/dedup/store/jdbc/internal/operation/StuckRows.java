package io.dedup.store.jdbc.internal.operation;

import io.dedup.DedupScope;
import io.dedup.store.jdbc.internal.row.Rows;
import io.dedup.store.jdbc.internal.sql.KeyBytes;
import io.dedup.store.jdbc.internal.sql.KeyFormat;
import io.dedup.store.jdbc.internal.sql.Micros;
import io.dedup.store.jdbc.internal.sql.Statements;
import io.dedup.store.jdbc.internal.sql.TableName;
import io.dedup.store.operator.StuckQuery;
import io.dedup.store.operator.StuckRecord;
import io.dedup.store.operator.StuckRecords;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Lists unfinished records with one statement that takes no locks and stops when there are more rows than requested.
 * May read the whole table: an index on columns that change with every claim would slow down every claim.
 */
public final class StuckRows {
    private final TableName table;
    private final KeyFormat keys;
    private final String select;
    private final String ofScope;
    private final int timeoutSeconds;

    /**
     * Creates the query.
     *
     * @param timeoutSeconds the timeout of the statement; 0 if the driver would set it for the connection
     */
    public StuckRows(TableName table, KeyFormat keys, int timeoutSeconds) {
        this.table = table;
        this.keys = keys;
        this.select = table.in("SELECT scope, message_id, " + Rows.COLUMNS
                + " FROM {table} WHERE state <> 4 AND attempt > 0 AND expires_at > ?"
                + " AND (token <= ? OR lease_until <= ?)");
        this.ofScope = select + " AND scope = ?";
        this.timeoutSeconds = timeoutSeconds;
    }

    /**
     * Checks that the table has message IDs to list.
     *
     * @throws UnsupportedOperationException if it has digests in place of them
     */
    void requirePlainKeys() {
        if (keys == KeyFormat.DIGEST) {
            throw new UnsupportedOperationException(
                    "table " + table
                            + " keeps digests of message IDs (keyFormat DIGEST), so stuck messages cannot be listed; find one by its ID");
        }
    }

    /** @param now the database's time in microseconds; a lease counts as live by it */
    public StuckRecords find(Connection connection, StuckQuery query, long now) throws SQLException {
        DedupScope scope = query.scope();
        long before = now - Micros.of(query.olderThan());
        try (PreparedStatement statement =
                new Statements(timeoutSeconds).prepare(connection, scope == null ? select : ofScope)) {
            statement.setMaxRows(query.limit() + 1);
            statement.setLong(1, now);
            statement.setLong(2, before);
            statement.setLong(3, before);
            if (scope != null) {
                statement.setBytes(4, KeyBytes.utf8(scope.text()));
            }
            try (ResultSet result = statement.executeQuery()) {
                return read(result, query.limit(), now);
            }
        }
    }

    private static StuckRecords read(ResultSet result, int limit, long now) throws SQLException {
        List<StuckRecord> stuck = new ArrayList<>();
        while (result.next()) {
            if (stuck.size() == limit) {
                return new StuckRecords(stuck, false);
            }
            stuck.add(new StuckRecord(
                    KeyBytes.text(result.getBytes(1)),
                    KeyBytes.text(result.getBytes(2)),
                    Rows.row(result, 3).toStoredRecord(now)));
        }
        return new StuckRecords(stuck, true);
    }
}
