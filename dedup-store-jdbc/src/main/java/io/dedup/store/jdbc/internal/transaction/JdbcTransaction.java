package io.dedup.store.jdbc.internal.transaction;

import io.dedup.DedupKey;
import io.dedup.store.Claim;
import io.dedup.store.CompleteRequest;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.internal.dialect.RecordDialect.WrittenRecord;
import io.dedup.store.jdbc.internal.dialect.TransactionMarker;
import io.dedup.store.jdbc.internal.operation.RaceRetry;
import io.dedup.store.jdbc.internal.operation.StatementSize;
import io.dedup.store.jdbc.internal.row.RecordTransitions;
import io.dedup.store.transaction.BrokenTransactionException;
import io.dedup.store.transaction.CommitResult;
import io.dedup.store.transaction.RecordRequest;
import io.dedup.store.transaction.RecordResult;
import io.dedup.store.transaction.RecordTransaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionTimedOutException;

/** A transaction with the records that it writes. After a failure it can only be rolled back. */
public final class JdbcTransaction implements RecordTransaction {
    private final RecordTable table;
    private final WrittenRecords written;
    private final TransactionCalls calls;
    private final RecordBatches batches;
    private final OpenTransaction transaction;
    private final TransactionCommit commit;
    private final OtherConnections others;
    private @Nullable TransactionMarker marker;

    JdbcTransaction(
            RecordTable table,
            WrittenRecords written,
            TransactionCalls calls,
            OpenTransaction transaction,
            TransactionCommit commit,
            OtherConnections others) {
        this.table = table;
        this.written = written;
        this.calls = calls;
        this.batches = new RecordBatches(calls, table.pieces());
        this.transaction = transaction;
        this.commit = commit;
        this.others = others;
    }

    /** Lets the commit detect that the database rolled the transaction back, even if nothing is claimed in it. */
    public void mark() {
        calls.run("begin", on -> {
            marker = table.dialect().mark(on);
            return this;
        });
    }

    /** Proves that the table can be written in this transaction. */
    public void probe() {
        calls.run("ping", on -> {
            table.probe().run(on);
            return this;
        });
    }

    /** Inspects the transaction and its server. */
    <A> A look(TransactionConnection.Work<A> work) {
        return calls.run("start", work);
    }

    @Override
    public List<RecordResult> claimAll(List<RecordRequest> requests) {
        List<RecordResult> answers = batches.all(
                "claim",
                requests,
                RecordRequest::key,
                request -> StatementSize.ofRequest(request.key(), null),
                this::claim,
                request -> RecordTransitions.inFlight());
        for (int i = 0; i < answers.size(); i++) {
            RecordResult answer = answers.get(i);
            if (answer instanceof RecordResult.Written record) {
                written.add(requests.get(i).key(), record.fencingToken());
            } else if (answer instanceof RecordResult.Conflict && marker == null) {
                mark(); // a policy may let it run, without a record
            }
        }
        return answers;
    }

    private List<@Nullable RecordResult> claim(Connection on, List<RecordRequest> requests) throws SQLException {
        return table.dialect().claim(on, requests, table.dialect().limitsTransactions() ? written.longest() : null);
    }

    @Override
    public void removeAll(List<DedupKey> keys) {
        List<DedupKey> own = written.among(keys);
        for (List<DedupKey> piece : batches.piecesOf(own)) {
            calls.run("remove", on -> {
                table.dialect().remove(on, piece);
                return piece;
            });
        }
        written.remove(own);
    }

    @Override
    public void keepResult(DedupKey key, byte[] result) {
        if (!written.contains(key)) {
            throw new IllegalArgumentException("this transaction has not written a record of message ID " + key);
        }
        checkSize("keepResult", result);
        if (!withResult("keepResult", on -> table.dialect().keepResult(on, key, result))) {
            calls.refuseCommit();
            throw new BrokenTransactionException(
                    "keepResult on table " + table.name()
                            + " failed: the record is missing, because the database rolled"
                            + " the transaction back, but the handler continued in it",
                    null);
        }
    }

    /** Checks the size of a result. After a failure the transaction can continue, because nothing was sent. */
    private void checkSize(String operation, byte[] result) {
        StatementSize size = table.statementSize();
        if (size.isDoubted()) {
            calls.run(operation, on -> {
                size.ask(on);
                return this;
            });
        }
        if (!size.fits(result)) {
            throw table.failures().resultTooLarge(operation, result.length, size.maxResult());
        }
    }

    /**
     * Runs a statement with a result. After a failure, the next one reads the server's limit again, which may have been
     * lowered.
     */
    private <A> A withResult(String operation, TransactionConnection.Work<A> work) {
        boolean done = false;
        try {
            A answer = calls.run(operation, work);
            done = true;
            return answer;
        } finally {
            if (!done) {
                table.statementSize().doubt();
            }
        }
    }

    @Override
    public List<WriteResult> completeAll(List<CompleteRequest> requests) {
        for (CompleteRequest request : requests) {
            byte[] result = request.result();
            if (result != null) {
                checkSize("complete", result);
            }
        }
        List<CompleteRequest> once =
                requests.stream().map(JdbcTransaction::unrepeated).toList();
        List<WriteResult> answers = batches.all(
                "complete",
                once,
                request -> request.claim().key(),
                request -> StatementSize.ofRequest(request.claim().key(), request.result()),
                table.dialect()::complete,
                request -> {
                    calls.refuseCommit();
                    throw table.failures().raced("complete", RaceRetry.MAX_ROUNDS, null);
                });
        for (WriteResult answer : answers) {
            if (answer instanceof WriteResult.StoreError error) {
                calls.refuseCommit();
                throw error.cause();
            }
        }
        return answers;
    }

    /** Clears {@code repeated}: within a transaction it proves nothing, because the first attempt was rolled back. */
    private static CompleteRequest unrepeated(CompleteRequest request) {
        Claim claim = request.claim();
        return request.repeated() ? new CompleteRequest(claim, request.window(), request.result(), false) : request;
    }

    @Override
    public CommitResult commit() {
        others.look();
        return commit.commit(this::checkWhole);
    }

    /**
     * Checks that the commit would commit everything, and commits where one statement does both.
     *
     * @return whether it is committed
     */
    private boolean checkWhole(Runnable sending) {
        // The limits of the transaction manager and of operators only apply to statements: a process that was paused
        // gets here late, and a window that starts at the claim may end before the commit.
        if (written.areLate()) {
            throw new TransactionTimedOutException(written.late() + "; it is rolled back");
        }
        WrittenRecord any = written.any();
        return calls.run("commit", on -> {
            if (marker != null) {
                marker.take(on);
                return false;
            }
            if (any != null && commit.canCommitEarly()) {
                return table.dialect().commitWhole(on, any, sending);
            }
            table.dialect().checkWhole(on, any);
            return false;
        });
    }

    @Override
    public void rollback() {
        transaction.rollBack();
    }

    @Override
    public boolean isUndoneByOthers(@Nullable Throwable failure) {
        return failure != null && table.failures().errors().isUndoneByOthers(failure);
    }
}
