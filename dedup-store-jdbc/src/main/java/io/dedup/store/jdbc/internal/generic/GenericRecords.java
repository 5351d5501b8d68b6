package io.dedup.store.jdbc.internal.generic;

import io.dedup.DedupKey;
import io.dedup.store.CompleteRequest;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.internal.dialect.RecordDialect;
import io.dedup.store.jdbc.internal.dialect.RecordStatements;
import io.dedup.store.jdbc.internal.dialect.TransactionMarker;
import io.dedup.store.jdbc.internal.failure.FailureKind;
import io.dedup.store.jdbc.internal.failure.SqlErrors;
import io.dedup.store.jdbc.internal.row.LeaseTransitions;
import io.dedup.store.jdbc.internal.row.RecordTransitions;
import io.dedup.store.jdbc.internal.row.Row;
import io.dedup.store.jdbc.internal.row.Rows;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.store.jdbc.internal.sql.Statements;
import io.dedup.store.transaction.RecordRequest;
import io.dedup.store.transaction.RecordResult;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads rows, decides, and writes one by one. For databases where a duplicate key and a lock timeout roll back only
 * their statement, such as H2.
 */
final class GenericRecords implements RecordDialect {
    private final RecordStatements statements;
    private final Rows rows;
    private final SqlErrors errors;
    private final long patienceNanos;

    GenericRecords(JdbcSettings settings, Statements statements, Rows rows, SqlErrors errors) {
        this.statements = new RecordStatements(settings, statements);
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
            RecordResult answer = RecordTransitions.refusal(row, request, snapshot.now());
            if (answer == null) {
                // The rest of a batch does not wait for every further locked row.
                answer = held && System.nanoTime() - start > patienceNanos
                        ? RecordTransitions.inFlight()
                        : written(connection, request, row, snapshot.now());
                held |= answer instanceof RecordResult.InFlight;
            }
            answers.add(answer);
        }
        return answers;
    }

    private @Nullable RecordResult written(Connection connection, RecordRequest request, @Nullable Row row, long now)
            throws SQLException {
        Row next = RecordTransitions.done(row, request, now);
        try {
            return rows.write(connection, new Rows.Change(request.key(), row, next))
                    ? new RecordResult.Written(next.token())
                    : null;
        } catch (SQLException e) {
            return switch (statementFailure(e)) {
                case LOCKED -> RecordTransitions.inFlight();
                case RACE -> null;
                case NO_ANSWER, TOO_LARGE, OTHER -> throw e;
            };
        }
    }

    /** Why a statement was rolled back; {@code OTHER} if more than the statement was. */
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
            Row next = LeaseTransitions.completed(row, request, snapshot.now());
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
        statements.remove(connection, keys);
    }

    @Override
    public boolean keepResult(Connection connection, DedupKey key, byte[] result) throws SQLException {
        return statements.keepResult(connection, "", key, result);
    }

    @Override
    public TransactionMarker mark(Connection connection) throws SQLException {
        return statements.mark(connection);
    }

    @Override
    public void checkWhole(Connection connection, @Nullable WrittenRecord written) throws SQLException {
        statements.checkWritten(connection, written);
    }

    @Override
    public long checkServer(Connection connection) {
        return Long.MAX_VALUE;
    }
}
