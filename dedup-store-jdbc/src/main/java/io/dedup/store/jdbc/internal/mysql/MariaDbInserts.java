package io.dedup.store.jdbc.internal.mysql;

import io.dedup.DedupKey;
import io.dedup.store.jdbc.internal.row.Row;
import io.dedup.store.jdbc.internal.row.Rows;
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
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Inserts the rows of several requests where there is none, on MariaDB. The values are in the text, because a statement for each
 * number of requests isn't worth preparing, and for many requests a value that all of them share is there once: parsing a row of all
 * values takes the server longer than inserting it. Thread-safe.
 */
final class MariaDbInserts<Q> {
    /**
     * From how many requests on the rows are selected from a table of what the requests don't share. The server writes its log to the
     * disk once more for a statement that selects, which is what parsing about this many rows costs.
     */
    private static final int MANY = 256;

    private final JdbcSettings settings;
    private final List<Column<Q>> columns;
    private final Function<Q, DedupKey> key;
    private final String statement;
    private final String row;

    /** A value of each request: bytes, a number or null. */
    record Column<Q>(String name, Function<Q, @Nullable Object> value) {
        private String placeholder() {
            return "{" + name + "}";
        }

        private String literal(Q request) {
            return SqlLiterals.of(value.apply(request));
        }
    }

    /**
     * Creates the statement.
     *
     * @param limits what comes before it, to limit its time
     * @param insert with {@code {rows}}
     * @param row the values of a row: {@code {message_id}}, {@code {scope}}, {@code {mark}} and the columns' names in braces
     * @param columns of the requests, without their key
     */
    MariaDbInserts(
            JdbcSettings settings,
            String limits,
            Function<Q, DedupKey> key,
            String insert,
            String row,
            List<Column<Q>> columns) {
        this.settings = settings;
        this.key = key;
        this.columns = new ArrayList<>();
        this.columns.add(new Column<>("message_id", request -> settings.keys().messageId(key.apply(request))));
        this.columns.add(new Column<>("scope", request -> settings.keys().scope(key.apply(request))));
        this.columns.addAll(columns);
        this.statement = MySqlSql.of(settings, limits, insert);
        this.row = MySqlSql.of(settings, limits, row).substring(limits.length());
    }

    /** Reads the rows that were there; null if nothing is to be decided by them. */
    interface Reading {
        /** @param someInserted whether rows of other requests were inserted, which a failure of this must not hide */
        Rows.@Nullable Snapshot read(List<DedupKey> keys, boolean someInserted) throws SQLException;
    }

    /** Refuses a request that had a row; null if it must be asked again. */
    interface Refusal<Q, A> {
        @Nullable
        A of(@Nullable Row row, Q request, long now);
    }

    /**
     * Inserts, and answers each request whose row is new by its token. For the others their rows are read, which can only refuse.
     *
     * @return null for each request that must be asked again
     */
    <A> List<@Nullable A> insertOrRefuse(
            Connection connection, List<Q> requests, Function<Long, A> inserted, Reading reading, Refusal<Q, A> refusal)
            throws SQLException {
        List<@Nullable Long> tokens = insert(connection, requests);
        List<DedupKey> others = new ArrayList<>();
        for (int i = 0; i < tokens.size(); i++) {
            if (tokens.get(i) == null) {
                others.add(key.apply(requests.get(i)));
            }
        }
        Rows.Snapshot found = others.isEmpty() ? null : reading.read(others, others.size() < requests.size());
        List<@Nullable A> answers = new ArrayList<>(requests.size());
        for (int i = 0; i < tokens.size(); i++) {
            Q request = requests.get(i);
            Long token = tokens.get(i);
            if (token != null) {
                answers.add(inserted.apply(token));
            } else {
                answers.add(found == null ? null : refusal.of(found.row(key.apply(request)), request, found.now()));
            }
        }
        return answers;
    }

    /** Returns the new rows' tokens; null for each request that had a row. */
    private List<@Nullable Long> insert(Connection connection, List<Q> requests) throws SQLException {
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
        String shared = row.replace("{mark}", Long.toString(mark));
        List<Column<Q>> own = new ArrayList<>();
        for (Column<Q> column : columns) {
            if (isShared(column, requests)) {
                shared = shared.replace(column.placeholder(), column.literal(requests.get(0)));
            } else {
                own.add(column);
            }
        }
        String rows = requests.size() < MANY ? values(requests, shared, own) : selected(requests, shared, own);
        return statement.replace("{rows}", rows);
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

    /** The row is taken apart once: looking for its columns in the row of each request takes longer than writing their values. */
    private String values(List<Q> requests, String shared, List<Column<Q>> own) {
        List<String> texts = new ArrayList<>(own.size() + 1);
        List<Column<Q>> between = new ArrayList<>(own.size());
        int end = 0;
        for (int at = shared.indexOf('{'); at >= 0; at = shared.indexOf('{', end)) {
            String name = shared.substring(at, shared.indexOf('}', at) + 1);
            texts.add(shared.substring(end, at));
            between.add(own.stream()
                    .filter(column -> column.placeholder().equals(name))
                    .findFirst()
                    .orElseThrow());
            end = at + name.length();
        }
        String last = shared.substring(end);
        StringBuilder rows = new StringBuilder();
        String before = "VALUES (";
        for (Q request : requests) {
            rows.append(before);
            for (int i = 0; i < texts.size(); i++) {
                rows.append(texts.get(i)).append(between.get(i).literal(request));
            }
            rows.append(last);
            before = "), (";
        }
        return rows.append(")").toString();
    }

    private String selected(List<Q> requests, String shared, List<Column<Q>> own) {
        String names = own.stream().map(Column::name).collect(Collectors.joining(", "));
        StringBuilder rows = new StringBuilder("WITH r (").append(names).append(") AS (VALUES (");
        String before = "";
        for (Q request : requests) {
            rows.append(before);
            before = "), (";
            String comma = "";
            for (Column<Q> column : own) {
                rows.append(comma).append(column.literal(request));
                comma = ", ";
            }
        }
        String values = shared;
        for (Column<Q> column : own) {
            values = values.replace(column.placeholder(), "r." + column.name());
        }
        return rows.append(")) SELECT ")
                .append(values)
                .append(" FROM r WHERE TRUE")
                .toString();
    }
}
