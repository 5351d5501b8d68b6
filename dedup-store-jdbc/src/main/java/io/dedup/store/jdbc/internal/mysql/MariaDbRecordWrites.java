package io.dedup.store.jdbc.internal.mysql;

import io.dedup.DedupKey;
import io.dedup.store.jdbc.internal.failure.FailureKind;
import io.dedup.store.jdbc.internal.failure.SqlErrors;
import io.dedup.store.jdbc.internal.row.RecordTransitions;
import io.dedup.store.jdbc.internal.row.Row;
import io.dedup.store.jdbc.internal.row.Rows;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.store.jdbc.internal.sql.Micros;
import io.dedup.store.jdbc.internal.sql.Statements;
import io.dedup.store.transaction.RecordRequest;
import io.dedup.store.transaction.RecordResult;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes records on MariaDB and returns what was written, without waiting for locks. It inserts first, which costs less and is all
 * that new messages need; then looks at the records that were there, and writes those in whose place it may. Thread-safe.
 */
final class MariaDbRecordWrites implements RecordWrites {
    private static final String RETURNING = " RETURNING " + MySqlSql.RECORDED.replace("{t}", "");

    private final JdbcSettings settings;
    private final Statements statements;
    private final SqlErrors errors;
    private final KeptStatement insertOne;
    private final MariaDbInserts<RecordRequest> insertMany;
    private final String noWait;
    private final String one;

    /**
     * Creates the writes.
     *
     * @param insertOne see {@link MySqlSql#insertOne}
     * @param noWait what comes before a statement, so that it doesn't wait for locks
     */
    MariaDbRecordWrites(
            JdbcSettings settings,
            Statements statements,
            Rows rows,
            SqlErrors errors,
            KeptStatement insertOne,
            String noWait) {
        this.settings = settings;
        this.statements = statements;
        this.errors = errors;
        this.insertOne = insertOne;
        this.insertMany = new MariaDbInserts<>(
                settings,
                rows,
                noWait,
                RecordRequest::key,
                MySqlSql.FIRST_RECORDS,
                MySqlSql.FIRST_RECORDS_ROW,
                List.of(
                        new MariaDbInserts.Column<>("length", request -> Micros.of(request.window())),
                        new MariaDbInserts.Column<>("new_fingerprint", request -> Row.bytes(request.fingerprint()))));
        this.noWait = noWait;
        this.one = MySqlSql.of(settings, noWait, MySqlSql.recordOne() + RETURNING);
    }

    @Override
    public List<@Nullable RecordResult> write(Connection connection, List<RecordRequest> requests) throws SQLException {
        List<@Nullable RecordResult> first = requests.size() == 1
                ? Collections.singletonList(insert(connection, requests.get(0)))
                : insertAll(connection, requests);
        List<RecordRequest> open = new ArrayList<>();
        for (int i = 0; i < requests.size(); i++) {
            if (first.get(i) == null) {
                open.add(requests.get(i));
            }
        }
        if (open.isEmpty()) {
            return first;
        }
        Iterator<@Nullable RecordResult> rest = instead(connection, open, first).iterator();
        List<@Nullable RecordResult> all = new ArrayList<>(first);
        all.replaceAll(answer -> answer == null ? rest.next() : answer);
        return all;
    }

    /** Inserts a record; null if there is one in whose place it may be written. */
    private @Nullable RecordResult insert(Connection connection, RecordRequest request) throws SQLException {
        long mark = WriteMark.next();
        byte[] id = settings.keys().messageId(request.key());
        return insertOne.query(
                connection,
                result -> result.next() ? RecordAnswers.first(RecordAnswers.of(id, result, 1), request, mark) : null,
                id,
                settings.keys().scope(request.key()),
                Micros.of(request.window()),
                Row.bytes(request.fingerprint()),
                mark);
    }

    /** Inserts records. Those that were there are locked by then, so what is returned of them stays so. */
    private List<@Nullable RecordResult> insertAll(Connection connection, List<RecordRequest> requests)
            throws SQLException {
        return insertMany.insertOrRefuse(connection, requests, RecordResult.Written::new, RecordTransitions::refusal);
    }

    /**
     * Writes records in the place of others. If one is locked, a caller who knows of no record yet looks at all of them; one who has
     * written some asks again for the rest, because to a later look its own records are done.
     */
    private List<@Nullable RecordResult> instead(
            Connection connection, List<RecordRequest> open, List<@Nullable RecordResult> first) throws SQLException {
        try {
            return writeAll(connection, open);
        } catch (SQLException e) {
            boolean written = first.stream().anyMatch(RecordResult.Written.class::isInstance);
            if (written && errors.kind(e) == FailureKind.LOCKED) {
                return Collections.nCopies(open.size(), null);
            }
            throw e;
        }
    }

    private List<@Nullable RecordResult> writeAll(Connection connection, List<RecordRequest> requests)
            throws SQLException {
        List<DedupKey> keys = requests.stream().map(RecordRequest::key).toList();
        long mark = WriteMark.next();
        try (PreparedStatement statement = statements.prepare(connection, sql(requests.size()))) {
            RecordAnswers.bind(statement, settings.keys(), requests, mark);
            try (ResultSet result = statement.executeQuery()) {
                return RecordAnswers.read(result, settings.keys(), requests, keys, mark);
            }
        }
    }

    private String sql(int requests) {
        return requests == 1 ? one : MySqlSql.of(settings, noWait, MySqlSql.record(requests) + RETURNING);
    }
}
