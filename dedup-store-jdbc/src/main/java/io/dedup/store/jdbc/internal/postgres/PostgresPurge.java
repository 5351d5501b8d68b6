package io.dedup.store.jdbc.internal.postgres;

import io.dedup.store.jdbc.internal.dialect.Dialect.PurgeRun;
import io.dedup.store.jdbc.internal.dialect.ReadCommitted;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.store.jdbc.internal.sql.Statements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/** Removes expired records by their places in the table; see {@link PostgresSql#PURGE}. Thread-safe. */
final class PostgresPurge {
    private final ReadCommitted readCommitted = new ReadCommitted();
    private final DueRows dueRows = new DueRows();
    private final Statements statements;
    private final String due;
    private final String purge;

    PostgresPurge(JdbcSettings settings, Statements statements) {
        this.statements = statements;
        this.due = PostgresSql.of(settings, PostgresSql.DUE);
        this.purge = PostgresSql.of(settings, PostgresSql.PURGE);
    }

    PurgeRun run(Connection connection, int limit) throws SQLException {
        return readCommitted.run(connection, () -> purgeDue(connection, limit));
    }

    private PurgeRun purgeDue(Connection connection, int limit) throws SQLException {
        List<DueRows.Place> places = dueRows.take(limit);
        boolean fresh = places.isEmpty();
        if (fresh) {
            look(connection, DueRows.wanted(limit));
            places = dueRows.take(limit);
        }
        int removed = places.isEmpty() ? 0 : remove(connection, places);
        return new PurgeRun(removed, places.size(), dueRows.hasMore(fresh));
    }

    private void look(Connection connection, int limit) throws SQLException {
        try (PreparedStatement statement = statements.prepare(connection, due)) {
            dueRows.found(DueRows.look(statement, limit), limit);
        }
    }

    private int remove(Connection connection, List<DueRows.Place> places) throws SQLException {
        try (PreparedStatement statement = statements.prepare(connection, purge)) {
            DueRows.bind(statement, places);
            try (ResultSet result = statement.executeQuery()) {
                result.next();
                dueRows.looked(result.getInt(1));
                return result.getInt(2);
            }
        }
    }
}
