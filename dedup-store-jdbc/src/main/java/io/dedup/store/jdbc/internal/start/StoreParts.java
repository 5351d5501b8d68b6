package io.dedup.store.jdbc.internal.start;

import io.dedup.store.jdbc.internal.operation.LeaseOperations;
import io.dedup.store.jdbc.internal.operation.OperatorCommands;
import io.dedup.store.jdbc.internal.operation.StoreCalls;
import io.dedup.store.jdbc.internal.purge.Purge;
import io.dedup.store.jdbc.internal.transaction.RecordTable;
import java.util.List;
import java.util.OptionalInt;

/**
 * The parts of a store.
 *
 * @param warnings about a server, a table or a pool that can be used
 * @param maxConnections the maximum number of connections of the pool; empty if unknown
 */
public record StoreParts(
        RecordTable table,
        StoreCalls calls,
        LeaseOperations operations,
        OperatorCommands operators,
        Purge purge,
        List<String> warnings,
        OptionalInt maxConnections) {
    public StoreParts {
        warnings = List.copyOf(warnings);
    }
}
