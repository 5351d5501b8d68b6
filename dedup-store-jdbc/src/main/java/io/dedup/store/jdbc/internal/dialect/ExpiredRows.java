package io.dedup.store.jdbc.internal.dialect;

import io.dedup.store.jdbc.internal.dialect.Dialect.PurgeRun;
import io.dedup.store.jdbc.internal.sql.KeyBytes;
import io.dedup.store.jdbc.internal.sql.Micros;
import io.dedup.store.jdbc.internal.sql.Statements;
import io.dedup.store.jdbc.internal.sql.StoreClock;
import io.dedup.store.jdbc.internal.sql.TableName;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Purges with two statements: the first finds expired records, the second removes those that still are.
 *
 * <p>A search starts where the last batch ended: InnoDB keeps index entries of removed records until it cleans up, and
 * a search from the beginning would pass all of them. If it finds less than a batch, it searches from the beginning for
 * records that were locked, or written late.
 *
 * <p>Thread-safe.
 */
public final class ExpiredRows {
    private static final long BEGINNING = -Micros.NEVER;

    private final ReadCommitted readCommitted = new ReadCommitted();
    private final Statements statements;
    private final StoreClock clock;
    private final String clockSql;
    private final String select;
    private final String delete;
    private final Locking locking;

    /** When the last record of the last batch expired, in microseconds of the store's clock; a hint. */
    private volatile long from = BEGINNING;

    /** How the search passes rows that others have locked. Databases differ in how they word its limit. */
    public enum Locking {
        /** It doesn't: the database has no words for it. */
        NONE("", ""),
        LIMIT(" LIMIT ", ""),
        /** As in the standard; H2 refuses LIMIT in some of its modes. */
        FETCH(" FETCH FIRST ", " ROWS ONLY");

        private final String before;
        private final String after;

        Locking(String before, String after) {
            this.before = before;
            this.after = after;
        }

        private String in(String select, int limit) {
            return select + before + limit + after + " FOR UPDATE SKIP LOCKED";
        }
    }

    public ExpiredRows(TableName table, Statements statements, StoreClock clock, Locking locking) {
        this.statements = statements;
        this.clock = clock;
        this.locking = locking;
        this.clockSql = clock.query();
        this.select = table.in("SELECT scope, message_id, expires_at FROM {table}"
                + " WHERE expires_at >= ? AND expires_at <= ? ORDER BY expires_at");
        this.delete = table.in("DELETE FROM {table} WHERE expires_at <= ? AND scope = ? AND message_id IN (");
    }

    public PurgeRun purge(Connection connection, int limit) throws SQLException {
        if (locking == Locking.NONE) {
            return readCommitted.run(connection, () -> purgeFound(connection, limit, select));
        }
        String sql = locking.in(select, limit);
        return readCommitted.run(
                connection, () -> SkipLocked.inTransaction(connection, () -> purgeFound(connection, limit, sql)));
    }

    private PurgeRun purgeFound(Connection connection, int limit, String sql) throws SQLException {
        long now = now(connection);
        long after = from;
        Found found = find(connection, sql, after, now, limit);
        if (found.seen() < limit && after != BEGINNING) {
            found = find(connection, sql, BEGINNING, now, limit);
        }
        int removed = 0;
        for (Map.Entry<String, List<byte[]>> ofScope : found.idsByScope().entrySet()) {
            removed += delete(connection, now, ofScope.getKey(), ofScope.getValue());
        }
        boolean more = found.seen() == limit;
        from = more ? found.last() : BEGINNING;
        return new PurgeRun(removed, found.seen(), more);
    }

    /** @param last when the last one of them expired */
    private record Found(Map<String, List<byte[]>> idsByScope, int seen, long last) {}

    private Found find(Connection connection, String sql, long after, long now, int limit) throws SQLException {
        int seen = 0;
        long last = after;
        Map<String, List<byte[]>> idsByScope = new LinkedHashMap<>();
        try (PreparedStatement statement = statements.prepare(connection, sql)) {
            statement.setMaxRows(limit);
            statement.setLong(1, after);
            statement.setLong(2, now);
            try (ResultSet result = statement.executeQuery()) {
                while (result.next()) {
                    seen++;
                    idsByScope
                            .computeIfAbsent(KeyBytes.text(result.getBytes(1)), any -> new ArrayList<>())
                            .add(result.getBytes(2));
                    last = result.getLong(3);
                }
            }
        }
        return new Found(idsByScope, seen, last);
    }

    public long now(Connection connection) throws SQLException {
        try (PreparedStatement statement = statements.prepare(connection, clockSql);
                ResultSet result = statement.executeQuery()) {
            result.next();
            return clock.read(result);
        }
    }

    private int delete(Connection connection, long now, String scope, List<byte[]> ids) throws SQLException {
        String sql = delete + Statements.list("?", ids.size()) + ")";
        try (PreparedStatement statement = statements.prepare(connection, sql)) {
            statement.setLong(1, now);
            statement.setBytes(2, KeyBytes.utf8(scope));
            for (int i = 0; i < ids.size(); i++) {
                statement.setBytes(3 + i, ids.get(i));
            }
            return statement.executeUpdate();
        }
    }
}
