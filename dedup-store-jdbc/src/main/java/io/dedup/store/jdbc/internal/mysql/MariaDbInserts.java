package io.dedup.store.jdbc.internal.mysql;

import io.dedup.DedupKey;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.store.jdbc.internal.sql.KeyIndex;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Inserts the rows of several requests where there is none, on MariaDB. Its values are in the text, because a statement for each
 * number of requests isn't worth preparing, and a value that all requests share is there once: parsing a row of all values
 * takes the server longer than inserting it. Thread-safe.
 */
final class MariaDbInserts<Q> {
    private final JdbcSettings settings;
    private final Function<Q, DedupKey> key;
    private final List<Column<Q>> columns;
    private final String statement;

    /** A value of each request: bytes, a number or null. */
    record Column<Q>(String name, Function<Q, @Nullable Object> value) {}

    /**
     * Creates the statement.
     *
     * @param limits what comes before it, to limit its time
     * @param insert with {@code {message_id}}, {@code {scope}}, {@code {mark}} and the columns' names in braces
     * @param columns of the requests, without their key
     */
    MariaDbInserts(
            JdbcSettings settings, String limits, Function<Q, DedupKey> key, String insert, List<Column<Q>> columns) {
        this.settings = settings;
        this.key = key;
        this.columns = columns;
        this.statement = MySqlSql.of(settings, limits, insert);
    }

    /**
     * Inserts.
     *
     * @return the new rows' tokens; null for each request that had a row
     */
    List<@Nullable Long> insert(Connection connection, List<Q> requests) throws SQLException {
        long mark = WriteMark.next();
        @Nullable Long[] tokens = new Long[requests.size()];
        KeyIndex index =
                new KeyIndex(settings.keys(), requests.stream().map(key).toList());
        try (Statement open = connection.createStatement();
                ResultSet result = open.executeQuery(text(requests, mark))) {
            while (result.next()) {
                if (WriteMark.isOf(mark, result.getLong(3))) {
                    tokens[index.position(result, 1)] = result.getLong(4);
                }
            }
        }
        return Arrays.asList(tokens);
    }

    private String text(List<Q> requests, long mark) {
        List<Column<Q>> all = new ArrayList<>();
        all.add(new Column<>("scope", request -> settings.keys().scope(key.apply(request))));
        all.addAll(columns);
        String text = statement.replace("{mark}", Long.toString(mark));
        List<Column<Q>> different = new ArrayList<>();
        for (Column<Q> column : all) {
            boolean shared = isShared(column, requests);
            String literal = shared ? SqlLiterals.of(column.value().apply(requests.get(0))) : "r." + column.name();
            text = text.replace("{" + column.name() + "}", literal);
            if (!shared) {
                different.add(column);
            }
        }
        return text.replace("{requests}", table(requests, different));
    }

    private boolean isShared(Column<Q> column, List<Q> requests) {
        Object first = column.value().apply(requests.get(0));
        for (Q request : requests.subList(1, requests.size())) {
            if (!Objects.deepEquals(first, column.value().apply(request))) {
                return false;
            }
        }
        return true;
    }

    /** A table of the requests' message IDs and of what they don't share. */
    private String table(List<Q> requests, List<Column<Q>> different) {
        StringBuilder table = new StringBuilder("r (message_id");
        different.forEach(column -> table.append(", ").append(column.name()));
        String before = ") AS (VALUES (";
        for (Q request : requests) {
            table.append(before).append(SqlLiterals.of(settings.keys().messageId(key.apply(request))));
            for (Column<Q> column : different) {
                table.append(", ").append(SqlLiterals.of(column.value().apply(request)));
            }
            before = "), (";
        }
        return table.append("))").toString();
    }
}
