package io.dedup.store.jdbc.internal.transaction;

import io.dedup.DedupKey;
import io.dedup.store.BrokenTransactionException;
import io.dedup.store.Claim;
import io.dedup.store.CommitResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.DedupStoreException;
import io.dedup.store.RecordRequest;
import io.dedup.store.RecordResult;
import io.dedup.store.RecordTransaction;
import io.dedup.store.TooManyRecordsException;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.internal.dialect.Marker;
import io.dedup.store.jdbc.internal.dialect.RecordDialect;
import io.dedup.store.jdbc.internal.dialect.RecordDialect.WrittenRecord;
import io.dedup.store.jdbc.internal.failure.SqlErrors;
import io.dedup.store.jdbc.internal.failure.SqlFailures;
import io.dedup.store.jdbc.internal.operation.BatchRunner;
import io.dedup.store.jdbc.internal.operation.Operations;
import io.dedup.store.jdbc.internal.operation.StatementSize;
import io.dedup.store.jdbc.internal.row.Records;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.store.jdbc.internal.sql.KeyBytes;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.TransactionTimedOutException;

/** One of {@code JdbcTransactions}. After a failure it can't be committed any more. */
public final class JdbcTransaction implements RecordTransaction {
    /** How often a key may be somebody else's, just ended, before it counts as in flight. */
    private static final int MAX_ROUNDS = BatchRunner.MAX_ROUNDS;

    private static final String BROKEN =
            ": a statement in the transaction has failed before, and the handler went on as if it hadn't; let its exception"
                    + " out, or use a savepoint";

    private final PlatformTransactionManager manager;
    private final TransactionStatus status;
    private final TransactionConnection connection;
    private final TransactionWatch watch;
    private final JdbcSettings settings;
    private final RecordDialect dialect;
    private final StatementSize statementSize;
    private final SqlFailures failures;
    private final OtherConnections others;
    private final Duration longest;
    private final long began = System.nanoTime();
    /** The records that this has written, and their tokens. */
    private final Map<DedupKey, Long> written = new HashMap<>();

    private @Nullable Marker marker;

    /** @param longest how long it may last, if it writes a record */
    public JdbcTransaction(
            PlatformTransactionManager manager,
            TransactionStatus status,
            TransactionConnection connection,
            TransactionWatch watch,
            JdbcSettings settings,
            RecordDialect dialect,
            StatementSize statementSize,
            SqlFailures failures,
            OtherConnections others,
            Duration longest) {
        this.manager = manager;
        this.status = status;
        this.connection = connection;
        this.watch = watch;
        this.settings = settings;
        this.dialect = dialect;
        this.statementSize = statementSize;
        this.failures = failures;
        this.others = others;
        this.longest = longest;
    }

    /** Makes the commit notice a transaction that the database has undone, also where nothing is claimed in it. */
    public void mark() {
        with("begin", on -> {
            marker = dialect.mark(on);
            return this;
        });
    }

    @Override
    public List<RecordResult> claimAll(List<RecordRequest> requests) {
        List<RecordResult> answers = all(
                "claim",
                requests,
                RecordRequest::key,
                request -> Operations.size(request.key(), null),
                this::claim,
                request -> Records.inFlight());
        for (int i = 0; i < answers.size(); i++) {
            RecordResult answer = answers.get(i);
            if (answer instanceof RecordResult.Written record) {
                written.put(requests.get(i).key(), record.fencingToken());
            } else if (answer instanceof RecordResult.Conflict && marker == null) {
                mark(); // a policy may let it run, without a record
            }
        }
        return answers;
    }

    private List<@Nullable RecordResult> claim(Connection on, List<RecordRequest> requests) throws SQLException {
        return dialect.claim(on, requests, dialect.limitsTransactions() ? longest : null);
    }

    @Override
    public void removeAll(List<DedupKey> keys) {
        List<DedupKey> own = new ArrayList<>(keys);
        own.retainAll(written.keySet());
        own.sort(KeyBytes.ORDER);
        for (List<DedupKey> piece : pieces(own, key -> Operations.size(key, null))) {
            with("remove", on -> {
                dialect.remove(on, piece);
                return piece;
            });
        }
        own.forEach(written::remove);
    }

    @Override
    public void keepResult(DedupKey key, byte[] result) {
        if (!written.containsKey(key)) {
            throw new IllegalArgumentException("this transaction has written no record of " + key);
        }
        checkSize("keepResult", result);
        if (!withResult("keepResult", on -> dialect.keepResult(on, key, result))) {
            status.setRollbackOnly();
            throw new BrokenTransactionException(
                    "keepResult on table " + settings.table() + " found the record gone: the database has undone this"
                            + " transaction in between, and something in it went on",
                    null);
        }
    }

    /** The transaction goes on after this has failed, as nothing was sent. */
    private void checkSize(String operation, byte[] result) {
        if (statementSize.isDoubted()) {
            with(operation, on -> {
                statementSize.ask(on);
                return this;
            });
        }
        if (!statementSize.fits(result)) {
            throw failures.resultTooLarge(operation, result.length, statementSize.maxResult());
        }
    }

    /** After a failure the next one asks for the server's limit again: it may have been lowered. */
    private <A> A withResult(String operation, TransactionConnection.Work<A> work) {
        boolean done = false;
        try {
            A answer = with(operation, work);
            done = true;
            return answer;
        } finally {
            if (!done) {
                statementSize.doubt();
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
        List<WriteResult> answers = all(
                "complete",
                once,
                request -> request.claim().key(),
                request -> Operations.size(request.claim().key(), request.result()),
                dialect::complete,
                request -> {
                    status.setRollbackOnly();
                    throw failures.raced("complete", MAX_ROUNDS, null);
                });
        for (WriteResult answer : answers) {
            if (answer instanceof WriteResult.StoreError error) {
                status.setRollbackOnly();
                throw error.cause();
            }
        }
        return answers;
    }

    /** Here a repetition proves nothing: what was done the first time was rolled back. */
    private static CompleteRequest unrepeated(CompleteRequest request) {
        Claim claim = request.claim();
        return request.repeated() ? new CompleteRequest(claim, request.window(), request.result(), false) : request;
    }

    private interface Call<Q, A> {
        List<@Nullable A> ask(Connection connection, List<Q> requests) throws SQLException;
    }

    /** In the order of keys, so that two transactions can't deadlock; answers in the order of the requests. */
    private <Q, A> List<A> all(
            String operation,
            List<Q> requests,
            Function<Q, DedupKey> key,
            ToIntFunction<Q> size,
            Call<Q, A> call,
            Function<Q, A> raced) {
        if (requests.size() == 1) {
            return List.of(one(operation, requests, call, raced));
        }
        List<Q> sorted = new ArrayList<>(requests);
        sorted.sort(Comparator.comparing(key, KeyBytes.ORDER));
        Map<DedupKey, A> answers = new HashMap<>();
        for (List<Q> piece : pieces(sorted, size)) {
            List<Q> open = piece;
            for (int round = 0; round < MAX_ROUNDS && !open.isEmpty(); round++) {
                List<Q> asked = open;
                List<@Nullable A> some = with(operation, on -> call.ask(on, asked));
                open = new ArrayList<>();
                for (int i = 0; i < some.size(); i++) {
                    A answer = some.get(i);
                    if (answer == null) {
                        open.add(asked.get(i));
                    } else {
                        answers.put(key.apply(asked.get(i)), answer);
                    }
                }
            }
            open.forEach(request -> answers.put(key.apply(request), raced.apply(request)));
        }
        List<A> list = new ArrayList<>(requests.size());
        for (Q request : requests) {
            A answer = answers.get(key.apply(request));
            if (answer == null) {
                throw new IllegalStateException(operation + " left a request without an answer");
            }
            list.add(answer);
        }
        return list;
    }

    private <Q, A> A one(String operation, List<Q> one, Call<Q, A> call, Function<Q, A> raced) {
        for (int round = 0; round < MAX_ROUNDS; round++) {
            A answer = with(operation, on -> call.ask(on, one)).get(0);
            if (answer != null) {
                return answer;
            }
        }
        return raced.apply(one.get(0));
    }

    /** @param size of what a request adds to a statement, in bytes */
    private <Q> List<List<Q>> pieces(List<Q> all, ToIntFunction<Q> size) {
        List<List<Q>> pieces = new ArrayList<>();
        int from = 0;
        while (from < all.size()) {
            int to = BatchRunner.endOfPiece(size, all, from, settings.maxBatch(), statementSize.maxValues());
            pieces.add(all.subList(from, to));
            from = to;
        }
        return pieces;
    }

    /** @throws DedupStoreException for whatever goes wrong; nothing else can follow but a rollback */
    public <A> A with(String operation, TransactionConnection.Work<A> work) {
        boolean done = false;
        try {
            A answer = connection.with(work);
            done = true;
            return answer;
        } catch (SQLException e) {
            throw failed(operation, e);
        } catch (DataAccessException | TransactionException e) {
            throw new DedupStoreException(
                    operation + " on table " + settings.table() + " failed: no usable connection in the transaction",
                    e);
        } finally {
            if (!done) {
                status.setRollbackOnly();
            }
        }
    }

    private DedupStoreException failed(String operation, SQLException e) {
        DedupStoreException failed = failures.failed(operation, e);
        if (SqlErrors.isInFailedTransaction(e)) {
            return new BrokenTransactionException(failed.getMessage() + BROKEN, e);
        }
        if (isLate()) { // most likely that is why: PostgreSQL ends the session
            return new BrokenTransactionException(failed.getMessage() + ": " + late(), e);
        }
        return failures.errors().isTooMany(e)
                ? new TooManyRecordsException(
                        failed.getMessage()
                                + ": every record holds a lock until its transaction ends; raise the server's"
                                + " max_locks_per_transaction, or claim fewer records at once",
                        e)
                : failed;
    }

    @Override
    public CommitResult commit() {
        others.look();
        return TransactionEnd.commit(manager, status, connection, watch, failures.errors(), this::checkWhole);
    }

    private void checkWhole() {
        // Only statements are bound to the transaction manager's limit, or to an operator's: a process that was paused
        // comes here late, and a record that counts from its claim may be over before it commits.
        if (isLate()) {
            throw new TransactionTimedOutException(late() + ", and is rolled back");
        }
        with("commit", on -> {
            if (marker == null) {
                dialect.checkWhole(on, anyWritten());
            } else {
                marker.take(on);
            }
            return this;
        });
    }

    private boolean isLate() {
        return !written.isEmpty() && System.nanoTime() - began > longest.toNanos();
    }

    private String late() {
        return "the transaction has lasted longer than " + longest + ", a policy's maxProcessingTime";
    }

    private @Nullable WrittenRecord anyWritten() {
        for (Map.Entry<DedupKey, Long> each : written.entrySet()) {
            return new WrittenRecord(each.getKey(), each.getValue());
        }
        return null;
    }

    @Override
    public void rollback() {
        TransactionEnd.rollBack(manager, status, connection);
    }

    @Override
    public boolean isUndoneByOthers(@Nullable Throwable failure) {
        return failure != null && failures.errors().isUndoneByOthers(failure);
    }
}
