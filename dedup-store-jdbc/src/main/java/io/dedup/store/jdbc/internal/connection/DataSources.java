package io.dedup.store.jdbc.internal.connection;

import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/** Rejects data sources that would hand out the connection of the caller's transaction. */
public final class DataSources {
    private DataSources() {}

    /** @throws IllegalArgumentException when the store would take part in its callers' transactions */
    public static void requireOwnConnections(DataSource dataSource) {
        if (is(dataSource, TransactionAwareDataSourceProxy.class)) {
            throw new IllegalArgumentException(
                    "dataSource is or wraps a TransactionAwareDataSourceProxy: a claim would join the handler's"
                            + " transaction and be rolled back with it. Pass the proxy's target DataSource");
        }
        if (is(dataSource, SingleConnectionDataSource.class)) {
            throw new IllegalArgumentException(
                    "dataSource is a SingleConnectionDataSource, but the store needs its own connections. Pass a"
                            + " connection pool");
        }
    }

    /** The data source behind Spring's proxies, which a transaction manager may know. */
    public static DataSource target(DataSource dataSource) {
        DataSource target = dataSource;
        while (target instanceof DelegatingDataSource proxy && proxy.getTargetDataSource() != null) {
            target = proxy.getTargetDataSource();
        }
        return target;
    }

    private static boolean is(DataSource dataSource, Class<?> type) {
        try {
            return type.isInstance(dataSource) || dataSource.isWrapperFor(type);
        } catch (SQLException e) {
            throw new IllegalArgumentException("Cannot check whether dataSource is a transaction-aware proxy", e);
        }
    }
}
