package io.dedup.store.jdbc.internal.postgres;

import io.dedup.store.Owner;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.store.jdbc.internal.sql.Statements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A statement for one request or for many. The two forms differ only in the source of the requests: scalar parameters,
 * which PostgreSQL plans and runs in half the time, or arrays.
 *
 * <p>The planner assumes that the arrays have one row (a limit that it cannot see counts as a tenth of ten rows), so
 * that every plan finds rows by their key. A plan made while the table is nearly empty would otherwise read all of it,
 * and a prepared statement keeps its plan until the table has grown and been analyzed.
 *
 * <p>The source of the requests sets {@code lock_timeout} for its own statement. This costs no round trip, and the end
 * of the statement restores it. It is a subquery in place of the first parameter, which runs once and before anything
 * is locked. The arrays are subqueries too: since the planner does not see their lengths, it does not plan each
 * statement again.
 */
final class PostgresRequests<Q> {
    private final List<PostgresColumn<Q>> columns;
    private final String one;
    private final String many;

    /**
     * Creates both forms of a statement.
     *
     * @param statement with {@code {requests}} in place of the source, whose columns are those given and {@code ord},
     *     which numbers the requests from 1
     */
    PostgresRequests(JdbcSettings settings, String statement, List<PostgresColumn<Q>> columns) {
        this(settings, statement, columns, lockTimeout(settings));
    }

    /** What the source of requests selects from, so that its statement has the store's lock timeout. */
    static String lockTimeout(JdbcSettings settings) {
        return "FROM set_config('lock_timeout', '" + settings.lockTimeout().toMillis() + "ms', true)";
    }

    /** For the handler's transaction, whose later statements must keep their lock timeout. */
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

    static <Q> String arrays(List<PostgresColumn<Q>> columns, String timeout) {
        String arrays = columns.stream()
                .map(column -> "(SELECT ?::" + column.type() + "[]"
                        + (column.equals(columns.get(0)) ? " " + timeout : "") + ")")
                .collect(Collectors.joining(", "));
        String names = columns.stream().map(PostgresColumn::name).collect(Collectors.joining(", "));
        return "SELECT * FROM unnest(" + arrays + ") WITH ORDINALITY AS u(" + names + ", ord) LIMIT (SELECT "
                + Integer.MAX_VALUE + ")";
    }

    /**
     * A source of many requests of one owner, whose parameters are the owner and an array of message IDs: an array of owners costs
     * both sides more than finding the rows does.
     */
    static String ofOneOwner(JdbcSettings settings) {
        return "SELECT u.message_id, ?::text AS owner, u.ord FROM unnest((SELECT ?::bytea[] " + lockTimeout(settings)
                + ")) WITH ORDINALITY AS u(message_id, ord) LIMIT (SELECT " + Integer.MAX_VALUE + ")";
    }

    /** The same, and a result of each request, whose array is the last parameter. */
    static String ofOneOwnerWithResults(JdbcSettings settings) {
        return "SELECT u.message_id, ?::text AS owner, u.result, u.ord FROM unnest((SELECT ?::bytea[] "
                + lockTimeout(settings)
                + "), (SELECT ?::bytea[])) WITH ORDINALITY AS u(message_id, result, ord) LIMIT (SELECT "
                + Integer.MAX_VALUE + ")";
    }

    static <Q> boolean haveOneOwner(List<Q> requests, Function<Q, Owner> owner) {
        Owner first = owner.apply(requests.get(0));
        for (Q request : requests) {
            if (!owner.apply(request).equals(first)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Binds the parameters of a source.
     *
     * @param columns the message IDs and the owners
     * @param oneOwner whether the source is {@link #ofOneOwner}
     * @return the index of the next parameter
     */
    static <Q> int bind(
            Connection connection,
            PreparedStatement statement,
            List<Q> requests,
            List<PostgresColumn<Q>> columns,
            boolean oneOwner)
            throws SQLException {
        if (oneOwner) {
            columns.get(1).bind(connection, statement, 1, requests.subList(0, 1));
            columns.get(0).bind(connection, statement, 2, requests);
        } else {
            for (int i = 0; i < columns.size(); i++) {
                columns.get(i).bind(connection, statement, i + 1, requests);
            }
        }
        return columns.size() + 1;
    }

    private boolean isFirst(PostgresColumn<Q> column) {
        return column.equals(columns.get(0));
    }

    /** Prepares the statement and binds the requests; further parameters follow them. */
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

    /** Runs a write. The rows that the statement returns are written; for all others, the caller is not the owner. */
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
