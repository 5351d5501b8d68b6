package io.dedup.store.jdbc.internal.postgres;

import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.store.jdbc.internal.sql.Statements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A statement over one request or over many, which differ in nothing but where the requests come from: scalar
 * parameters, which PostgreSQL plans and runs in half the time, or arrays.
 *
 * <p>The planner takes the arrays for one row (a limit that it can't see counts as a tenth of ten rows), so that every plan
 * looks rows up by their key. A plan made while the table is nearly empty would otherwise read all of it, and a prepared
 * statement keeps its plan until the table has grown and been analysed.
 *
 * <p>The source of the requests sets {@code lock_timeout} for its own statement: that costs no round trip, and is
 * undone by the statement's end. It is a sub-select in the place of the first parameter, which runs once and before
 * anything is locked. The arrays are sub-selects as well: their lengths, unseen, don't tempt the planner into planning
 * each statement anew.
 */
final class PostgresRequests<Q> {
    private final List<PostgresColumn<Q>> columns;
    private final String one;
    private final String many;

    /**
     * @param statement with {@code {requests}} in the place of the source, whose columns are those given and
     *     {@code ord}, which counts the requests from 1
     */
    PostgresRequests(JdbcSettings settings, String statement, List<PostgresColumn<Q>> columns) {
        this(
                settings,
                statement,
                columns,
                "FROM set_config('lock_timeout', '" + settings.lockTimeout().toMillis() + "ms', true)");
    }

    /** For somebody else's transaction, whose later statements shall wait for locks as long as they did before. */
    static <Q> PostgresRequests<Q> inTransaction(
            JdbcSettings settings, String statement, List<PostgresColumn<Q>> columns) {
        return new PostgresRequests<>(settings, statement, columns, "");
    }

    private PostgresRequests(JdbcSettings settings, String statement, List<PostgresColumn<Q>> columns, String timeout) {
        this.columns = List.copyOf(columns);
        String sql = PostgresSql.of(settings, statement);
        this.one = sql.replace("{requests}", scalars(timeout));
        this.many = sql.replace("{requests}", arrays(timeout));
    }

    private String scalars(String timeout) {
        return columns.stream()
                .map(column ->
                        (isFirst(column) ? "(SELECT ?::" + column.type() + " " + timeout + ")" : "?::" + column.type())
                                + " AS " + column.name())
                .collect(Collectors.joining(", ", "SELECT ", ", 1::bigint AS ord"));
    }

    private String arrays(String timeout) {
        return arrays(columns, timeout);
    }

    /** A source of many requests, for a statement that has another form for one. */
    static <Q> String arrays(List<PostgresColumn<Q>> columns) {
        return arrays(columns, "");
    }

    private static <Q> String arrays(List<PostgresColumn<Q>> columns, String timeout) {
        String arrays = columns.stream()
                .map(column -> "(SELECT ?::" + column.type() + "[]"
                        + (column.equals(columns.get(0)) ? " " + timeout : "") + ")")
                .collect(Collectors.joining(", "));
        String names = columns.stream().map(PostgresColumn::name).collect(Collectors.joining(", "));
        return "SELECT * FROM unnest(" + arrays + ") WITH ORDINALITY AS u(" + names + ", ord) LIMIT (SELECT "
                + Integer.MAX_VALUE + ")";
    }

    private boolean isFirst(PostgresColumn<Q> column) {
        return column.equals(columns.get(0));
    }

    /** The statement with the requests bound; what else it has to be given comes after them. */
    PreparedStatement prepare(Connection connection, Statements statements, List<Q> requests) throws SQLException {
        PreparedStatement statement = statements.prepare(connection, requests.size() == 1 ? one : many);
        try {
            for (int i = 0; i < columns.size(); i++) {
                columns.get(i).bind(connection, statement, i + 1, requests);
            }
            return statement;
        } catch (SQLException | RuntimeException e) {
            statement.close();
            throw e;
        }
    }

    /** What the statement returns is written; for whatever it doesn't, the caller isn't the owner. */
    List<@Nullable WriteResult> write(Connection connection, Statements statements, List<Q> requests)
            throws SQLException {
        WriteResult[] answers = new WriteResult[requests.size()];
        Arrays.fill(answers, WriteResult.leaseLost());
        try (PreparedStatement statement = prepare(connection, statements, requests);
                ResultSet result = statement.executeQuery()) {
            while (result.next()) {
                answers[result.getInt(1) - 1] = WriteResult.applied();
            }
        }
        return Arrays.asList(answers);
    }

    int parameterCount() {
        return columns.size();
    }
}
