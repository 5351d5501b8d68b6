package io.dedup.store.jdbc.internal.generic;

import io.dedup.DedupKey;
import io.dedup.store.CompleteRequest;
import io.dedup.store.RecordRequest;
import io.dedup.store.RecordResult;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.internal.dialect.Marker;
import io.dedup.store.jdbc.internal.dialect.RecordDialect;
import io.dedup.store.jdbc.internal.failure.FailureKind;
import io.dedup.store.jdbc.internal.failure.SqlErrors;
import io.dedup.store.jdbc.internal.row.Records;
import io.dedup.store.jdbc.internal.row.Row;
import io.dedup.store.jdbc.internal.row.Rows;
import io.dedup.store.jdbc.internal.row.Transitions;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.store.jdbc.internal.sql.Statements;
import io.dedup.store.jdbc.internal.sql.TableName;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads rows, decides, and writes one by one. For databases where a duplicate key and a lock time-out undo their statement
 * and nothing else, such as H2.
 */
final class GenericRecords implements RecordDialect {
    private final TableName table;
    private final Statements statements;
    private final Rows rows;
    private final SqlErrors errors;
    private final long patienceNanos;

    GenericRecords(JdbcSettings settings, Statements statements, Rows rows, SqlErrors errors) {
        this.table = settings.table();
        this.statements = statements;
        this.rows = rows;
        this.errors = errors;
        this.patienceNanos = settings.queryTimeout().toNanos();
    }

    @Override
    public List<@Nullable RecordResult> claim(
            Connection connection, List<RecordRequest> requests, @Nullable Duration limit) throws SQLException {
        List<@Nullable RecordResult> answers = new ArrayList<>(requests.size());
        long start = System.nanoTime();
        boolean held = false;
        Rows.Snapshot snapshot =
                rows.read(connection, requests.stream().map(RecordRequest::key).toList());
        for (RecordRequest request : requests) {
            Row row = snapshot.row(request.key());
            RecordResult answer = Records.refusal(row, request, snapshot.now());
            if (answer == null) {
                // The rest of a batch doesn't wait for each locked row anew.
                answer = held && System.nanoTime() - start > patienceNanos
                        ? Records.inFlight()
                        : written(connection, request, row, snapshot.now());
                held |= answer instanceof RecordResult.InFlight;
            }
            answers.add(answer);
        }
        return answers;
    }

    private @Nullable RecordResult written(Connection connection, RecordRequest request, @Nullable Row row, long now)
            throws SQLException {
        Row next = Records.done(row, request, now);
        try {
            return rows.write(connection, new Rows.Change(request.key(), row, next))
                    ? new RecordResult.Written(next.token())
                    : null;
        } catch (SQLException e) {
            return switch (statementFailure(e)) {
                case LOCKED -> Records.inFlight();
                case RACE -> null;
                case NO_ANSWER, TOO_LARGE, OTHER -> throw e;
            };
        }
    }

    /** What it is that undid a statement; whatever undid more is {@code OTHER}. */
    private FailureKind statementFailure(SQLException e) {
        return errors.undoesTransaction(e) ? FailureKind.OTHER : errors.kind(e);
    }

    @Override
    public List<@Nullable WriteResult> complete(Connection connection, List<CompleteRequest> requests)
            throws SQLException {
        List<@Nullable WriteResult> answers = new ArrayList<>(requests.size());
        Rows.Snapshot snapshot = rows.read(
                connection,
                requests.stream().map(request -> request.claim().key()).toList());
        for (CompleteRequest request : requests) {
            Row row = snapshot.row(request.claim().key());
            Row next = Transitions.completed(row, request, snapshot.now());
            answers.add(next == null ? WriteResult.leaseLost() : completed(connection, request, row, next));
        }
        return answers;
    }

    private @Nullable WriteResult completed(Connection connection, CompleteRequest request, @Nullable Row row, Row next)
            throws SQLException {
        try {
            return rows.write(connection, new Rows.Change(request.claim().key(), row, next))
                    ? WriteResult.applied()
                    : null;
        } catch (SQLException e) {
            if (statementFailure(e) == FailureKind.RACE) {
                return null;
            }
            throw e;
        }
    }

    @Override
    public void remove(Connection connection, Collection<DedupKey> keys) throws SQLException {
        RecordDialect.remove(connection, statements, table, keys);
    }

    @Override
    public boolean keepResult(Connection connection, DedupKey key, byte[] result) throws SQLException {
        return RecordDialect.keepResult(connection, statements, table, "", key, result);
    }

    @Override
    public Marker mark(Connection connection) throws SQLException {
        return Marker.put(connection, statements, table);
    }

    @Override
    public void checkWhole(Connection connection, @Nullable WrittenRecord written) throws SQLException {
        RecordDialect.checkWritten(connection, statements, table, written);
    }

    @Override
    public boolean needsReadCommitted() {
        return false;
    }

    @Override
    public long checkServer(Connection connection) {
        return Long.MAX_VALUE;
    }
}
