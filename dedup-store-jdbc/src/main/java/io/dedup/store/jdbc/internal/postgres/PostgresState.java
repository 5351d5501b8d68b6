package io.dedup.store.jdbc.internal.postgres;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Whether there is a transaction, and whether something in it has failed. PostgreSQL answers a commit with a rollback then, and
 * versions of its driver take that for a success, as they do where there is nothing to commit. The driver has been told with
 * each answer: to ask it costs no round trip.
 */
final class PostgresState {
    private static final @Nullable Class<?> CONNECTION = find();

    /** Static, or the JIT couldn't see through it. Null where the driver is another, or another class loader's. */
    private static final @Nullable MethodHandle STATE = stateOf(CONNECTION);

    private static @Nullable Class<?> find() {
        try {
            return Class.forName("org.postgresql.core.BaseConnection", false, PostgresState.class.getClassLoader());
        } catch (ClassNotFoundException | LinkageError e) {
            return null;
        }
    }

    private static @Nullable MethodHandle stateOf(@Nullable Class<?> connection) {
        if (connection == null) {
            return null;
        }
        try {
            Method method = connection.getMethod("getTransactionState");
            return MethodHandles.publicLookup()
                    .unreflect(method)
                    .asType(MethodType.methodType(Object.class, Object.class));
        } catch (ReflectiveOperationException | LinkageError e) {
            return null;
        }
    }

    private PostgresState() {}

    /** {@code IDLE}, {@code OPEN} or {@code FAILED}; null where the driver doesn't tell. */
    static @Nullable String of(Connection connection) throws SQLException {
        if (CONNECTION == null || STATE == null || !connection.isWrapperFor(CONNECTION)) {
            return null;
        }
        try {
            return String.valueOf(STATE.invokeExact((Object) connection.unwrap(CONNECTION)));
        } catch (SQLException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) { // which the method doesn't declare
            return null;
        }
    }
}
