package io.dedup.store.jdbc.internal.postgres;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Reads whether a transaction is open, and whether a statement in it has failed. PostgreSQL then answers a commit with
 * a rollback, and some versions of its driver report that as success, as they do if nothing is open. The driver
 * receives the state with each answer, so reading it costs no round trip.
 */
final class PostgresState {
    private static final @Nullable Class<?> CONNECTION = find();

    /** Static, so that the JIT can inline it. Null if the driver is another one, or from another class loader. */
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

    /** The state: {@code IDLE}, {@code OPEN} or {@code FAILED}; null if the driver does not report it. */
    static @Nullable String of(Connection connection) throws SQLException {
        if (CONNECTION == null || STATE == null || !connection.isWrapperFor(CONNECTION)) {
            return null;
        }
        try {
            return String.valueOf(STATE.invokeExact((Object) connection.unwrap(CONNECTION)));
        } catch (SQLException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) { // the method declares none
            return null;
        }
    }
}
