package io.dedup.store.jdbc.internal.transaction;

import io.dedup.store.jdbc.internal.connection.DataSources;
import io.dedup.store.jdbc.internal.sql.TableName;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Warns about handlers that used another {@code DataSource} within their transaction: Spring lends such a connection
 * until the transaction's end, but its writes commit at once. Reading there is fine, so it is not rejected.
 * Thread-safe.
 */
final class OtherConnections {
    /** The logger of the public type, which applications configure. */
    private static final Logger log = LoggerFactory.getLogger("io.dedup.store.jdbc.JdbcTransactions");

    private final DataSource own;
    private final TableName table;
    private final Set<DataSource> warned = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    OtherConnections(DataSource own, TableName table) {
        this.own = DataSources.target(own);
        this.table = table;
    }

    /** Called within a transaction after its handler has returned. Warns once for each data source. */
    void look() {
        for (Map.Entry<Object, Object> bound :
                TransactionSynchronizationManager.getResourceMap().entrySet()) {
            if (bound.getValue() instanceof ConnectionHolder
                    && bound.getKey() instanceof DataSource other
                    && DataSources.target(other) != own
                    && warned.add(other)) {
                log.warn(
                        "A handler used {} within its transaction, which is another DataSource than that of table {}: writes"
                                + " there are not rolled back with the message's record, and happen twice if the message is"
                                + " handled again. Keep the table in that database, or only read there",
                        other,
                        table);
            }
        }
    }
}
