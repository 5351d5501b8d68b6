package io.dedup.store.jdbc.internal.operation;

import io.dedup.DedupStoreException;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.RenewRequest;
import io.dedup.store.StepRequest;
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
 * Claims, completes, releases and renews on the store's own connections. Every request gets a result, possibly an
 * error. Thread-safe.
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
     * @param heartbeat the connection of {@link #renew}
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
                pieces.statementSize(), failures, connections, requests -> run(operations.complete(), requests));
    }

    public List<ClaimResult> claim(List<ClaimRequest> requests) {
        return run(operations.claim(), requests);
    }

    public List<WriteResult> complete(List<CompleteRequest> requests) {
        return completions.complete(requests);
    }

    public List<WriteResult> release(List<ReleaseRequest> requests) {
        return run(operations.release(), requests);
    }

    public List<WriteResult> keepSteps(List<StepRequest> requests) {
        return run(operations.keepSteps(), requests);
    }

    public List<WriteResult> renew(List<RenewRequest> requests) {
        if (requests.isEmpty()) {
            return List.of();
        }
        Operation<RenewRequest, WriteResult> operation = operations.renew();
        try {
            return heartbeat.run(
                    connection -> runner.run(operation, connection, requests),
                    answers -> answers.stream().anyMatch(WriteResult.StoreError.class::isInstance));
        } catch (SQLException e) {
            return unanswered(operation, requests, e);
        }
    }

    public List<ImportResult> importDone(List<ImportRequest> requests) {
        return run(operations.importDone(), requests);
    }

    private <Q, A> List<A> run(Operation<Q, A> operation, List<Q> requests) {
        if (requests.isEmpty()) {
            return List.of();
        }
        try (Borrowed borrowed = connections.open()) {
            return runner.run(operation, borrowed.connection(), requests);
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
