package io.dedup.store.jdbc;

import io.dedup.DedupKey;
import io.dedup.store.Claim;
import io.dedup.store.DedupStoreException;
import io.dedup.store.WriteResult;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One kind of update by owners, on MySQL and MariaDB.
 *
 * <p>Every row that is written gets a new mark and so changes: whatever a driver counts, found or changed rows, is the
 * number of rows written. Where it is the number of requests, all were; else a second round trip asks which bear the
 * mark.
 */
final class MySqlWrites<Q> {
    private final JdbcSettings settings;
    private final Statements statements;
    private final String operation;
    private final Function<Q, Claim> claim;
    private final String set;
    private final String columns;
    private final Binder<Q> binder;
    private final String marked;

    /** Binds a request's columns after message ID, scope and owner. */
    interface Binder<Q> {
        /** Returns the index after the last that it bound. */
        int bind(PreparedStatement statement, int first, Q request) throws SQLException;
    }

    /**
     * @param set assignments, from {@code r}, which has the columns
     * @param columns those after message ID, scope and owner
     */
    MySqlWrites(
            JdbcSettings settings,
            Statements statements,
            String operation,
            Function<Q, Claim> claim,
            String set,
            String columns,
            Binder<Q> binder) {
        this.settings = settings;
        this.statements = statements;
        this.operation = operation;
        this.claim = claim;
        this.set = set;
        this.columns = "message_id, scope, owner, " + columns;
        this.binder = binder;
        this.marked = settings.table()
                .in("SELECT message_id, scope FROM {table} WHERE write_mark = ? AND scope = ? AND message_id IN (");
    }

    DedupKey key(Q request) {
        return claim.apply(request).key();
    }

    /** @param before what comes before the statement, to limit its time; may be empty */
    List<@Nullable WriteResult> write(Connection connection, String before, List<Q> requests) throws SQLException {
        long mark = WriteMark.next();
        int written = update(connection, before, requests, mark);
        Set<DedupKey> marked = written > 0 && written < requests.size() ? marked(connection, requests, mark) : Set.of();
        List<@Nullable WriteResult> answers = new ArrayList<>(requests.size());
        for (Q request : requests) {
            if (written == requests.size() || marked.contains(key(request))) {
                answers.add(WriteResult.applied());
            } else if (marked.size() == written || written == 0) {
                answers.add(WriteResult.leaseLost());
            } else {
                answers.add(new WriteResult.StoreError(new DedupStoreException(
                        operation + " on table " + settings.table()
                                + " can't tell whether this record was among those written, as others wrote since",
                        null)));
            }
        }
        return answers;
    }

    private int update(Connection connection, String before, List<Q> requests, long mark) throws SQLException {
        String sql = before + MySqlSql.of(settings, MySqlSql.update(set, columns, requests.size()));
        try (PreparedStatement statement = statements.prepare(connection, sql)) {
            int next = 1;
            for (Q request : requests) {
                statement.setBytes(next++, KeyBytes.messageId(key(request)));
                statement.setBytes(next++, KeyBytes.scope(key(request)));
                statement.setBytes(
                        next++, KeyBytes.utf8(claim.apply(request).owner().value()));
                next = binder.bind(statement, next, request);
            }
            statement.setLong(next, mark);
            return statement.executeUpdate();
        }
    }

    private Set<DedupKey> marked(Connection connection, List<Q> requests, long mark) throws SQLException {
        Set<DedupKey> found = new HashSet<>();
        List<DedupKey> keys = requests.stream().map(this::key).toList();
        for (Map.Entry<String, List<DedupKey>> ofScope : KeyBytes.byScope(keys).entrySet()) {
            KeyIndex index = new KeyIndex(ofScope.getValue());
            String sql = marked + Statements.list("?", ofScope.getValue().size()) + ")";
            try (PreparedStatement statement = statements.prepare(connection, sql)) {
                statement.setLong(1, mark);
                statement.setBytes(2, KeyBytes.utf8(ofScope.getKey()));
                int next = 3;
                for (DedupKey key : ofScope.getValue()) {
                    statement.setBytes(next++, KeyBytes.messageId(key));
                }
                try (ResultSet result = statement.executeQuery()) {
                    while (result.next()) {
                        found.add(index.key(result, 1));
                    }
                }
            }
        }
        return found;
    }
}
