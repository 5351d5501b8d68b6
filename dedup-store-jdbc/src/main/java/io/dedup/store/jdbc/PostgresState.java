package io.dedup.store.jdbc;

import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Whether something in the transaction has failed. PostgreSQL answers a commit with a rollback then, and versions of its
 * driver take that for a success. The driver has been told with each answer: to ask it costs no round trip.
 */
final class PostgresState {
    private static final String CONNECTION = "org.postgresql.core.BaseConnection";

    private final @Nullable Class<?> type;
    private final @Nullable Method state;

    PostgresState() {
        Class<?> foundType = null;
        Method foundState = null;
        try {
            foundType = Class.forName(CONNECTION, false, PostgresState.class.getClassLoader());
            foundState = foundType.getMethod("getTransactionState");
        } catch (ReflectiveOperationException | LinkageError e) {
            foundType = null; // another driver, or another class loader's: the server is asked
        }
        this.type = foundType;
        this.state = foundState;
    }

    /** Null where the driver doesn't tell. */
    @Nullable
    Boolean hasFailed(Connection connection) throws SQLException {
        if (type == null || state == null || !connection.isWrapperFor(type)) {
            return null;
        }
        try {
            return "FAILED".equals(String.valueOf(state.invoke(connection.unwrap(type))));
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }
}
