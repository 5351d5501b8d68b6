package io.dedup.store.jdbc.internal.row;

import io.dedup.DedupKey;
import io.dedup.store.jdbc.internal.sql.KeyFormat;
import io.dedup.store.jdbc.internal.sql.KeyIndex;
import io.dedup.store.jdbc.internal.sql.Statements;
import io.dedup.store.jdbc.internal.sql.StoreClock;
import io.dedup.store.jdbc.internal.sql.TableName;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads rows, and replaces a row if it has not changed. The predicate of a replacement covers columns of which every
 * transition changes at least one, so that a count of 1 proves that the row was unchanged. A record that is done may have no
 * lease, which counts as 0.
 */
public final class Rows {
    /** The columns, in the order in which {@link #row} reads them. */
    public static final String COLUMNS =
            "state, owner, attempt, deaths, token, lease_until, completed_at, expires_at, fingerprint, result";

    private static final String AS_READ = " WHERE message_id = ? AND scope = ? AND state = ? AND attempt = ?"
            + " AND deaths = ? AND token = ? AND coalesce(lease_until, 0) = ? AND expires_at = ?";
    private static final int COLUMN_COUNT = 10;

    private final KeyFormat keys;
    private final Statements statements;
    private final StoreClock clock;
    private final String select;
    private final String insert;
    private final String update;
    private final String delete;

    /** @param alsoSet more assignments for an update, beginning with a comma; may be empty */
    public Rows(TableName table, KeyFormat keys, Statements statements, StoreClock clock, String alsoSet) {
        this.keys = keys;
        this.statements = statements;
        this.clock = clock;
        String columns = "t." + COLUMNS.replace(", ", ", t.");
        this.select = table.in("SELECT n.store_time, t.message_id, t.scope, " + columns + " FROM (" + clock.query()
                + ") n LEFT JOIN {table} t ON t.scope = ? AND t.message_id IN (");
        this.insert = table.in("INSERT INTO {table} (message_id, scope, " + COLUMNS + ") VALUES ("
                + Statements.list("?", 2 + COLUMN_COUNT) + ")");
        this.update = table.in("UPDATE {table} SET " + COLUMNS.replace(",", " = ?,") + " = ?" + alsoSet + AS_READ);
        this.delete = table.in("DELETE FROM {table}" + AS_READ);
    }

    /** The rows that were read, and the database's time then. */
    public record Snapshot(long now, Map<DedupKey, Row> rows) {
        @Nullable
        public Row row(DedupKey key) {
            return rows.get(key);
        }
    }

    /**
     * Reads the rows of some keys with one statement per scope, without locks: a row may change as soon as it was read.
     */
    public Snapshot read(Connection connection, Collection<DedupKey> keys) throws SQLException {
        Map<DedupKey, Row> rows = new HashMap<>();
        long now = Long.MIN_VALUE;
        for (List<DedupKey> ofScope : this.keys.byScope(keys)) {
            now = Math.max(now, read(connection, ofScope, rows));
        }
        return new Snapshot(now, rows);
    }

    private long read(Connection connection, List<DedupKey> ofScope, Map<DedupKey, Row> rows) throws SQLException {
        String sql = select + Statements.list("?", ofScope.size()) + ")";
        try (PreparedStatement statement = statements.prepare(connection, sql)) {
            bindKeys(statement, keys, ofScope);
            try (ResultSet result = statement.executeQuery()) {
                return read(result, ofScope, rows);
            }
        }
    }

    /** Binds the scope of the keys, and then their message IDs. */
    public static void bindKeys(PreparedStatement statement, KeyFormat format, List<DedupKey> ofScope)
            throws SQLException {
        statement.setBytes(1, format.scope(ofScope.get(0)));
        int next = 2;
        for (DedupKey key : ofScope) {
            statement.setBytes(next++, format.messageId(key));
        }
    }

    private long read(ResultSet result, List<DedupKey> ofScope, Map<DedupKey, Row> rows) throws SQLException {
        long now = Long.MIN_VALUE;
        KeyIndex index = new KeyIndex(keys, ofScope);
        while (result.next()) {
            now = Math.max(now, clock.read(result));
            if (result.getBytes(2) != null) { // null: no row matches any key
                rows.put(index.key(result, 2), row(result, 4));
            }
        }
        if (now == Long.MIN_VALUE) {
            throw new SQLException("the clock query returned no row: " + clock.query());
        }
        return now;
    }

    public static Row row(ResultSet result, int first) throws SQLException {
        long completedAt = result.getLong(first + 6);
        boolean completed = !result.wasNull();
        return new Row(
                Phase.of(result.getInt(first), completed),
                result.getString(first + 1),
                result.getInt(first + 2),
                result.getInt(first + 3),
                result.getLong(first + 4),
                result.getLong(first + 5),
                completedAt,
                result.getLong(first + 7),
                result.getString(first + 8),
                result.getBytes(first + 9));
    }

    /** A row to write in place of the one that was read, or of none. */
    public record Change(DedupKey key, @Nullable Row before, Row after) {}

    /**
     * Makes a change; returns false if another session changed the row first.
     *
     * @throws SQLException also if another session inserted the row
     */
    public boolean write(Connection connection, Change change) throws SQLException {
        try (PreparedStatement statement = statements.prepare(connection, change.before() == null ? insert : update)) {
            bind(statement, change);
            return statement.executeUpdate() == 1;
        }
    }

    /** The outcome of a change in a batch. */
    public enum Outcome {
        MADE,
        /** Another session changed the row first. */
        TOO_LATE,
        /** The driver does not report the count. */
        UNKNOWN
    }

    /**
     * Makes the changes with one batch for each kind. The outcomes are in the order of the changes.
     *
     * @throws SQLException also if another session inserted a row; any of the changes may have been made then
     */
    public List<Outcome> writeAll(Connection connection, List<Change> changes) throws SQLException {
        Outcome[] outcomes = new Outcome[changes.size()];
        writeAll(connection, insert, changes, true, outcomes);
        writeAll(connection, update, changes, false, outcomes);
        return List.of(outcomes);
    }

    private void writeAll(Connection connection, String sql, List<Change> changes, boolean inserts, Outcome[] outcomes)
            throws SQLException {
        int[] positions = IntStream.range(0, changes.size())
                .filter(i -> (changes.get(i).before() == null) == inserts)
                .toArray();
        if (positions.length == 0) {
            return;
        }
        try (PreparedStatement statement = statements.prepare(connection, sql)) {
            for (int position : positions) {
                bind(statement, changes.get(position));
                statement.addBatch();
            }
            int[] counts = statement.executeBatch();
            for (int i = 0; i < positions.length; i++) {
                outcomes[positions[i]] = switch (counts[i]) {
                    case 1 -> Outcome.MADE;
                    case 0 -> Outcome.TOO_LATE;
                    default -> Outcome.UNKNOWN;
                };
            }
        }
    }

    /** Removes a row; returns false if another session changed it first. */
    public boolean delete(Connection connection, DedupKey key, Row before) throws SQLException {
        return delete(connection, keys.messageId(key), keys.scope(key), before);
    }

    /** Removes a row by its stored key; returns false if another session changed it first. */
    public boolean delete(Connection connection, byte[] messageId, byte[] scope, Row before) throws SQLException {
        try (PreparedStatement statement = statements.prepare(connection, delete)) {
            statement.setBytes(1, messageId);
            statement.setBytes(2, scope);
            bindAsRead(statement, 3, before);
            return statement.executeUpdate() == 1;
        }
    }

    private void bind(PreparedStatement statement, Change change) throws SQLException {
        if (change.before() == null) {
            bindColumns(statement, bindKey(statement, 1, change.key()), change.after());
        } else {
            int next = bindColumns(statement, 1, change.after());
            bindAsRead(statement, bindKey(statement, next, change.key()), change.before());
        }
    }

    private int bindKey(PreparedStatement statement, int first, DedupKey key) throws SQLException {
        statement.setBytes(first, keys.messageId(key));
        statement.setBytes(first + 1, keys.scope(key));
        return first + 2;
    }

    private static int bindColumns(PreparedStatement statement, int first, Row row) throws SQLException {
        statement.setInt(first, row.phase().number());
        statement.setString(first + 1, row.owner());
        statement.setInt(first + 2, row.attempt());
        statement.setInt(first + 3, row.deaths());
        statement.setLong(first + 4, row.token());
        statement.setLong(first + 5, row.leaseUntil());
        if (row.phase() == Phase.DONE) {
            statement.setLong(first + 6, row.completedAt());
        } else if (row.phase().isUncounted()) {
            statement.setLong(first + 6, Phase.UNCOUNTED);
        } else {
            statement.setNull(first + 6, Types.BIGINT);
        }
        statement.setLong(first + 7, row.expiresAt());
        statement.setString(first + 8, row.fingerprint());
        statement.setBytes(first + 9, row.result());
        return first + COLUMN_COUNT;
    }

    private static void bindAsRead(PreparedStatement statement, int first, Row row) throws SQLException {
        statement.setInt(first, row.phase().number());
        statement.setInt(first + 1, row.attempt());
        statement.setInt(first + 2, row.deaths());
        statement.setLong(first + 3, row.token());
        statement.setLong(first + 4, row.leaseUntil());
        statement.setLong(first + 5, row.expiresAt());
    }
}
