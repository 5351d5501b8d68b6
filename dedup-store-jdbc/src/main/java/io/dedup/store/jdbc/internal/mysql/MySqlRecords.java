package io.dedup.store.jdbc.internal.mysql;

import io.dedup.DedupKey;
import io.dedup.store.CompleteRequest;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.internal.dialect.RecordDialect;
import io.dedup.store.jdbc.internal.dialect.RecordStatements;
import io.dedup.store.jdbc.internal.dialect.TransactionMarker;
import io.dedup.store.jdbc.internal.failure.FailureKind;
import io.dedup.store.jdbc.internal.failure.SqlErrors;
import io.dedup.store.jdbc.internal.row.RecordTransitions;
import io.dedup.store.jdbc.internal.row.Rows;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.store.jdbc.internal.sql.Statements;
import io.dedup.store.transaction.RecordRequest;
import io.dedup.store.transaction.RecordResult;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A locked row rolls back the statement, not the transaction (the setting that changes this is rejected at start). Then
 * a plain read answers for messages that are done, or in flight with a lease; the remaining records are written in
 * halves. Thread-safe.
 */
final class MySqlRecords implements RecordDialect {
    private final JdbcSettings settings;
    private final Statements statements;
    private final Statements timed;
    private final RecordStatements shared;
    private final RecordStatements timedShared;
    private final Rows rows;
    private final SqlErrors errors;
    private final RecordWrites writes;
    private final MySqlCompletions complete;
    private final String limits;
    private final @Nullable MariaDbCommit commit;

    /**
     * Creates the dialect.
     *
     * @param limits what comes before a statement, to limit its time; may be empty
     * @param commit null if the server has no such statement
     */
    MySqlRecords(
            JdbcSettings settings,
            Statements statements,
            Rows rows,
            SqlErrors errors,
            RecordWrites writes,
            MySqlCompletions complete,
            String limits,
            @Nullable MariaDbCommit commit) {
        this.commit = commit;
        this.settings = settings;
        this.statements = statements;
        this.timed = new Statements(settings.queryTimeoutSeconds());
        this.shared = new RecordStatements(settings, statements);
        this.timedShared = new RecordStatements(settings, timed);
        this.rows = rows;
        this.errors = errors;
        this.writes = writes;
        this.complete = complete;
        this.limits = limits;
    }

    @Override
    public List<@Nullable RecordResult> claim(
            Connection connection, List<RecordRequest> requests, @Nullable Duration limit) throws SQLException {
        try {
            return writes.write(connection, requests);
        } catch (SQLException e) {
            if (errors.kind(e) != FailureKind.LOCKED) {
                throw e;
            }
        }
        Map<DedupKey, RecordResult> answers = new HashMap<>();
        Rows.Snapshot snapshot =
                rows.read(connection, requests.stream().map(RecordRequest::key).toList());
        List<RecordRequest> open = new ArrayList<>();
        for (RecordRequest request : requests) {
            RecordResult refusal = RecordTransitions.refusal(snapshot.row(request.key()), request, snapshot.now());
            if (refusal == null) {
                open.add(request);
            } else {
                answers.put(request.key(), refusal);
            }
        }
        if (open.size() == requests.size()) {
            halves(connection, open, answers);
        } else if (!open.isEmpty()) {
            apart(connection, open, answers);
        }
        List<@Nullable RecordResult> list = new ArrayList<>(requests.size());
        requests.forEach(request -> list.add(answers.get(request.key())));
        return list;
    }

    private void apart(Connection connection, List<RecordRequest> requests, Map<DedupKey, RecordResult> answers)
            throws SQLException {
        try {
            List<@Nullable RecordResult> some = writes.write(connection, requests);
            for (int i = 0; i < some.size(); i++) {
                RecordResult answer = some.get(i);
                if (answer != null) {
                    answers.put(requests.get(i).key(), answer);
                }
            }
        } catch (SQLException e) {
            if (errors.kind(e) != FailureKind.LOCKED) {
                throw e;
            }
            halves(connection, requests, answers);
        }
    }

    /** After one of these was found locked. */
    private void halves(Connection connection, List<RecordRequest> requests, Map<DedupKey, RecordResult> answers)
            throws SQLException {
        if (requests.size() == 1) {
            answers.put(requests.get(0).key(), RecordTransitions.inFlight());
            return;
        }
        int half = requests.size() / 2;
        apart(connection, requests.subList(0, half), answers);
        apart(connection, requests.subList(half, requests.size()), answers);
    }

    /** Waits for a row as long as the store does, because a heartbeat may have locked it for a moment. */
    @Override
    public List<@Nullable WriteResult> complete(Connection connection, List<CompleteRequest> requests)
            throws SQLException {
        return complete.complete(connection, requests);
    }

    @Override
    public void remove(Connection connection, Collection<DedupKey> keys) throws SQLException {
        String sql = MySqlSql.of(settings, limits, MySqlSql.ofKeys("DELETE t", keys.size()));
        try (PreparedStatement statement = statements.prepare(connection, sql)) {
            RecordAnswers.bindKeys(statement, settings.keys(), keys);
            statement.executeUpdate();
        }
    }

    /** Also sets a new mark, so that every driver counts the row as changed. */
    @Override
    public boolean keepResult(Connection connection, DedupKey key, byte[] result) throws SQLException {
        String mark = ", write_mark = " + WriteMark.next();
        return shared.keepResult(connection, mark, key, result);
    }

    @Override
    public TransactionMarker mark(Connection connection) throws SQLException {
        return timedShared.mark(connection);
    }

    @Override
    public void checkWhole(Connection connection, @Nullable WrittenRecord written) throws SQLException {
        timedShared.checkWritten(connection, written);
    }

    @Override
    public boolean commitWhole(Connection connection, WrittenRecord written, Runnable sending) throws SQLException {
        if (commit != null && commit.run(connection, written, sending)) {
            return true;
        }
        checkWhole(connection, written);
        return false;
    }

    @Override
    public long checkServer(Connection connection) throws SQLException {
        MySqlServer.check(connection, timed);
        return Long.MAX_VALUE;
    }
}
