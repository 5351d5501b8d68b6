package io.dedup.store.jdbc.internal.mysql;

import io.dedup.store.jdbc.internal.sql.Statements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A statement that MariaDB's sessions keep, parsed: by a name (see {@link SessionStatements}), or as the driver does where it is set
 * to. Its values are bytes, numbers and nulls. Thread-safe.
 */
final class KeptStatement {
    /** The name is unknown; or the table has changed too often meanwhile. Neither has done anything. */
    private static final Set<Integer> NOT_KEPT = Set.of(1243, 1615);

    private static final int TOO_MANY_KEPT = 1461;

    private final SessionStatements sessions;
    private final Statements statements;
    private final String sql;
    private final String strictly;
    private final String limits;

    /**
     * Creates a statement.
     *
     * @param sql for sessions in strict mode; without backslashes, which sessions read differently
     * @param strictly the same for other sessions
     * @param limits what comes before the statement that names it, to limit its time
     */
    KeptStatement(SessionStatements sessions, Statements statements, String sql, String strictly, String limits) {
        this.sessions = sessions;
        this.statements = statements;
        this.sql = sql;
        this.strictly = strictly;
        this.limits = limits;
    }

    /** Reads a result. */
    interface Reader<A> {
        @Nullable
        A read(ResultSet result) throws SQLException;
    }

    /** Executes the statement with its values in its text. */
    private interface Execution<A> {
        @Nullable
        A run(Statement statement, String text) throws SQLException;
    }

    /** Returns what the reader has read. */
    <A> @Nullable A query(Connection connection, Reader<A> reader, @Nullable Object... values) throws SQLException {
        SessionStatements.Session session = sessions.of(connection);
        if (session != null && sessions.areNamed(session)) {
            Done<A> done = named(connection, session, values, (statement, text) -> {
                try (ResultSet result = statement.executeQuery(text)) {
                    return reader.read(result);
                }
            });
            if (done != null) {
                return done.answer();
            }
        }
        try (PreparedStatement statement = bound(connection, session, values);
                ResultSet result = statement.executeQuery()) {
            return reader.read(result);
        }
    }

    /** Returns how many rows were written. */
    int update(Connection connection, @Nullable Object... values) throws SQLException {
        SessionStatements.Session session = sessions.of(connection);
        if (session != null && sessions.areNamed(session)) {
            Done<Integer> done = named(connection, session, values, Statement::executeUpdate);
            if (done != null) {
                return Objects.requireNonNull(done.answer());
            }
        }
        try (PreparedStatement statement = bound(connection, session, values)) {
            return statement.executeUpdate();
        }
    }

    private String sql(SessionStatements.@Nullable Session session) {
        return session != null && session.isStrict() ? sql : strictly;
    }

    private PreparedStatement bound(
            Connection connection, SessionStatements.@Nullable Session session, @Nullable Object[] values)
            throws SQLException {
        PreparedStatement statement = statements.prepare(connection, sql(session));
        try {
            for (int i = 0; i < values.length; i++) {
                if (values[i] instanceof Long number) {
                    statement.setLong(i + 1, number);
                } else {
                    statement.setBytes(i + 1, (byte[]) values[i]);
                }
            }
        } catch (SQLException | RuntimeException e) {
            statement.close();
            throw e;
        }
        return statement;
    }

    private record Done<A>(@Nullable A answer) {}

    /** Null if the session doesn't keep the statement, which then has done nothing. */
    private <A> @Nullable Done<A> named(
            Connection connection, SessionStatements.Session session, @Nullable Object[] values, Execution<A> execution)
            throws SQLException {
        String text = sql(session);
        String name = sessions.name(connection, text);
        StringBuilder execute = new StringBuilder("EXECUTE ").append(name).append(" USING ");
        for (int i = 0; i < values.length; i++) {
            execute.append(i == 0 ? "" : ", ").append(SqlLiterals.of(values[i]));
        }
        try (Statement statement = connection.createStatement()) {
            for (int tries = 0; tries < 2; tries++) {
                if (!session.has(name) && !prepare(statement, session, name, text)) {
                    return null;
                }
                try {
                    return new Done<>(execution.run(statement, execute.toString()));
                } catch (SQLException e) {
                    if (!NOT_KEPT.contains(e.getErrorCode())) {
                        throw e;
                    }
                    sessions.lost(session);
                }
            }
        }
        return null;
    }

    /** Gives the statement its name; false if the server doesn't take it, and the statement itself shows why or works. */
    private boolean prepare(Statement statement, SessionStatements.Session session, String name, String text) {
        try {
            statement.execute(limits + "PREPARE " + name + " FROM '" + text.replace("'", "''") + "'");
            session.add(name);
            return true;
        } catch (SQLException e) {
            if (e.getErrorCode() == TOO_MANY_KEPT) {
                sessions.end("the server keeps no more (max_prepared_stmt_count)");
            }
            sessions.lost(session);
            return false;
        }
    }
}
