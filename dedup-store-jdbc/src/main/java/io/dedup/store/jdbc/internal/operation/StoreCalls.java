package io.dedup.store.jdbc.internal.operation;

import io.dedup.DedupStoreException;
import io.dedup.store.jdbc.internal.connection.OwnConnections;
import io.dedup.store.jdbc.internal.connection.OwnConnections.Borrowed;
import io.dedup.store.jdbc.internal.failure.SqlFailures;
import java.sql.Connection;
import java.sql.SQLException;

/** Runs work on the store's own connections, and reports its failures as those of the store. Thread-safe. */
public final class StoreCalls {
    private final OwnConnections connections;
    private final SqlFailures failures;

    public StoreCalls(OwnConnections connections, SqlFailures failures) {
        this.connections = connections;
        this.failures = failures;
    }

    /** Work on a connection. */
    public interface Work<A> {
        A on(Connection connection) throws SQLException;
    }

    /** @throws DedupStoreException when the database fails */
    public <A> A run(String operation, Work<A> work) {
        try (Borrowed borrowed = connections.open()) {
            return work.on(borrowed.connection());
        } catch (SQLException e) {
            throw failures.failed(operation, e);
        }
    }

    /** Stops running work. */
    void close() {
        connections.close();
    }
}
