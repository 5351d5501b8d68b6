package io.dedup.store.jdbc.internal.mysql;

import io.dedup.store.transaction.RecordRequest;
import io.dedup.store.transaction.RecordResult;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How a server writes the records of a handler's transaction: MariaDB and MySQL differ in what they return. */
interface RecordWrites {
    /**
     * Writes those that nothing blocks, and doesn't wait for a row that is there.
     *
     * @return the answers in the order of the requests
     * @throws SQLException also when a row is locked, which undoes the statement
     */
    List<@Nullable RecordResult> write(Connection connection, List<RecordRequest> requests) throws SQLException;
}
