package io.dedup.store.jdbc.internal.operation;

import io.dedup.DedupStoreException;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.RenewRequest;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.internal.connection.HeartbeatConnection;
import io.dedup.store.jdbc.internal.connection.OwnConnections;
import io.dedup.store.jdbc.internal.connection.OwnConnections.Borrowed;
import io.dedup.store.jdbc.internal.dialect.Dialect;
import io.dedup.store.jdbc.internal.failure.SqlFailures;
import io.dedup.store.operator.ImportRequest;
import io.dedup.store.operator.ImportResult;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/**
 * Claims, completes, releases and renews on the store's own connections. A single request that fails throws; every
 * request of a batch gets a result, possibly an error. Thread-safe.
 */
public final class LeaseOperations {
    private final OwnConnections connections;
    private final HeartbeatConnection heartbeat;
    private final SqlFailures failures;
    private final DialectOperations operations;
    private final BatchRunner runner;
    private final CompletionSizes completions;

    /**
     * Creates the operations of one store.
     *
     * @param heartbeat the connection of {@link #renewAll}
     * @param patience how long the requests of a batch are run one by one after one of them was found locked
     */
    public LeaseOperations(
            OwnConnections connections,
            HeartbeatConnection heartbeat,
            Dialect dialect,
            StatementPieces pieces,
            Duration patience,
            SqlFailures failures) {
        this.connections = connections;
        this.heartbeat = heartbeat;
        this.failures = failures;
        this.operations = DialectOperations.of(dialect);
        this.runner = new BatchRunner(failures, pieces, patience);
        this.completions = new CompletionSizes(
                pieces.statementSize(),
                failures,
                connections,
                request -> one(operations.complete(), request),
                requests -> all(operations.complete(), requests));
    }

    public ClaimResult claim(ClaimRequest request) {
        return one(operations.claim(), request);
    }

    public List<ClaimResult> claimAll(List<ClaimRequest> requests) {
        return all(operations.claim(), requests);
    }

    public WriteResult complete(CompleteRequest request) {
        return completions.one(request);
    }

    public List<WriteResult> completeAll(List<CompleteRequest> requests) {
        return completions.all(requests);
    }

    public WriteResult release(ReleaseRequest request) {
        return one(operations.release(), request);
    }

    public List<WriteResult> releaseAll(List<ReleaseRequest> requests) {
        return all(operations.release(), requests);
    }

    public WriteResult renew(RenewRequest request) {
        return one(operations.renew(), request);
    }

    public List<WriteResult> renewAll(List<RenewRequest> requests) {
        if (requests.isEmpty()) {
            return List.of();
        }
        Operation<RenewRequest, WriteResult> operation = operations.renewUnlocked();
        try {
            return heartbeat.run(
                    connection -> runner.all(operation, connection, requests),
                    answers -> answers.stream().anyMatch(WriteResult.StoreError.class::isInstance));
        } catch (SQLException e) {
            return unanswered(operation, requests, e);
        }
    }

    public List<ImportResult> importDone(List<ImportRequest> requests) {
        return all(operations.importDone(), requests);
    }

    private <Q, A> A one(Operation<Q, A> operation, Q request) {
        try (Borrowed borrowed = connections.open()) {
            A answer = runner.one(operation, borrowed.connection(), request);
            DedupStoreException error = operation.errorOf().apply(answer);
            if (error != null) {
                throw error;
            }
            return answer;
        } catch (SQLException e) {
            throw failures.failed(operation.name(), e);
        }
    }

    private <Q, A> List<A> all(Operation<Q, A> operation, List<Q> requests) {
        if (requests.isEmpty()) {
            return List.of();
        }
        try (Borrowed borrowed = connections.open()) {
            return runner.all(operation, borrowed.connection(), requests);
        } catch (SQLException e) {
            return unanswered(operation, requests, e);
        }
    }

    /** The results of requests if no connection is available. */
    private <Q, A> List<A> unanswered(Operation<Q, A> operation, List<Q> requests, SQLException e) {
        DedupStoreException cause = failures.failed(operation.name(), e);
        return requests.stream().map(request -> operation.error().apply(cause)).toList();
    }

    /** Stops borrowing connections, and returns the heartbeat's one. */
    public void close() {
        connections.close();
        heartbeat.close();
    }
}
