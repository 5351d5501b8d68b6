package io.dedup.store.jdbc.internal.start;

import io.dedup.store.jdbc.internal.operation.LeaseOperations;
import io.dedup.store.jdbc.internal.operation.OperatorCommands;
import io.dedup.store.jdbc.internal.operation.StoreCalls;
import io.dedup.store.jdbc.internal.purge.Purge;
import io.dedup.store.jdbc.internal.transaction.RecordTable;
import java.util.List;
import java.util.OptionalInt;

/**
 * What a store is made of.
 *
 * @param warnings what is wrong with a server, a table or a pool that can be used
 * @param maxConnections how many connections the pool hands out at most; empty where that can't be found out
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
