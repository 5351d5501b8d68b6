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
     * Writes the records that nothing blocks, without waiting for existing rows.
     *
     * @return the results in the order of the requests
     * @throws SQLException also if a row is locked, which rolls the statement back
     */
    List<@Nullable RecordResult> write(Connection connection, List<RecordRequest> requests) throws SQLException;
}
