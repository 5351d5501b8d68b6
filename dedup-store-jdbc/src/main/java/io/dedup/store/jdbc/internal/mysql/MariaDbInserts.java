package io.dedup.store.jdbc.internal.mysql;

import io.dedup.DedupKey;
import io.dedup.store.jdbc.internal.dialect.OpenClaims;
import io.dedup.store.jdbc.internal.row.Row;
import io.dedup.store.jdbc.internal.row.Rows;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.store.jdbc.internal.sql.KeyIndex;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Inserts the rows of several requests where there is none, on MariaDB, and returns what is there then: a row that was there costs no
 * second statement. The values are in the text, because a statement for each number of requests isn't worth preparing, and a row
 * computes each of its values once, from columns before it. Thread-safe.
 */
final class MariaDbInserts<Q> {
    /** Where the columns of {@link Rows#row} begin in what the statements return. */
    private static final int ROW = 6;

    /**
     * The server sends rows while it has them locked, new ones among them, and somebody who reads slowly would keep others from
     * renewing their leases. So records with a large result are read later, without locks.
     */
    private static final String LARGE = "LENGTH(result) > 256";

    private static final String CURRENT = "message_id, scope, write_mark, {start}, " + LARGE + ", "
            + Rows.COLUMNS.replace("result", "IF(" + LARGE + ", NULL, result)");

    private final JdbcSettings settings;
    private final Rows rows;
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
     * @param insert with {@code {rows}} and, for what is returned, {@code {current}}
     * @param row the values of a row: {@code {message_id}}, {@code {scope}}, {@code {mark}} and the columns' names in braces
     * @param columns of the requests, without their key
     */
    MariaDbInserts(
            JdbcSettings settings,
            Rows rows,
            String limits,
            Function<Q, DedupKey> key,
            String insert,
            String row,
            List<Column<Q>> columns) {
        this.settings = settings;
        this.rows = rows;
        this.key = key;
        this.columns = new ArrayList<>();
        this.columns.add(new Column<>("message_id", request -> settings.keys().messageId(key.apply(request))));
        this.columns.add(new Column<>("scope", request -> settings.keys().scope(key.apply(request))));
        this.columns.addAll(columns);
        this.statement = MySqlSql.of(settings, limits, insert.replace("{current}", CURRENT));
        this.row = MySqlSql.of(settings, limits, row).substring(limits.length());
    }

    /** Refuses a request that had a row; null if it must be asked again. */
    interface Refusal<Q, A> {
        @Nullable
        A of(@Nullable Row row, Q request, long now);
    }

    /**
     * Inserts, and answers each request whose row is new by its token. For the others their rows are looked at, which can only refuse:
     * the time is that of the statement's start, and it may have waited for them.
     *
     * @return null for each request that must be asked again
     */
    <A> List<@Nullable A> insertOrRefuse(
            Connection connection, List<Q> requests, Function<Long, A> inserted, Refusal<Q, A> refusal)
            throws SQLException {
        long mark = WriteMark.next();
        Map<DedupKey, Integer> large = new LinkedHashMap<>();
        List<@Nullable A> answers = new ArrayList<>(Collections.nCopies(requests.size(), null));
        KeyIndex index =
                new KeyIndex(settings.keys(), requests.stream().map(key).toList());
        try (Statement open = connection.createStatement();
                ResultSet result = open.executeQuery(text(requests, mark))) {
            while (result.next()) {
                int position = index.position(result, 1);
                Row row = Rows.row(result, ROW);
                if (WriteMark.isOf(mark, result.getLong(3))) {
                    answers.set(position, inserted.apply(row.token()));
                } else if (result.getBoolean(5)) {
                    large.put(key.apply(requests.get(position)), position);
                } else {
                    answers.set(position, refusal.of(row, requests.get(position), result.getLong(4)));
                }
            }
        }
        if (!large.isEmpty()) {
            Rows.Snapshot found = read(connection, large.keySet(), large.size() < requests.size());
            large.forEach((of, position) -> answers.set(
                    position, found == null ? null : refusal.of(found.row(of), requests.get(position), found.now())));
        }
        return answers;
    }

    /** @param answered whether other requests have their answers, which a failure of this must not hide; see {@link OpenClaims} */
    private Rows.@Nullable Snapshot read(Connection connection, Set<DedupKey> keys, boolean answered)
            throws SQLException {
        try {
            return rows.read(connection, keys);
        } catch (SQLException e) {
            if (!answered) {
                throw e;
            }
            return null;
        }
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
        return statement.replace("{rows}", values(requests, shared, own));
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
}
