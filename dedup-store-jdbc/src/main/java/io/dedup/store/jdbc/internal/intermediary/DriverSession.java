package io.dedup.store.jdbc.internal.intermediary;

import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What PostgreSQL's driver knows of a connection. The driver is the user's choice, so it is accessed by the names of its
 * interfaces.
 *
 * @param process the process number that the driver received when it opened the connection; a pooler makes one up
 * @param namesStatements whether the driver gives statements that are repeated a name in the session
 */
record DriverSession(int process, boolean namesStatements) {
    private static final Logger log = LoggerFactory.getLogger(DriverSession.class);
    private static final String CONNECTION = "org.postgresql.PGConnection";
    private static final String STATEMENT = "org.postgresql.PGStatement";

    /** Null if the driver is another one, or from another class loader. */
    static @Nullable DriverSession of(Connection connection) throws SQLException {
        try {
            Class<?> type = find(CONNECTION);
            if (!connection.isWrapperFor(type)) {
                return null;
            }
            Object driver = connection.unwrap(type);
            Object mode = type.getMethod("getPreferQueryMode").invoke(driver);
            Object threshold = type.getMethod("getPrepareThreshold").invoke(driver);
            return new DriverSession(
                    (Integer) type.getMethod("getBackendPID").invoke(driver),
                    !"simple".equalsIgnoreCase(String.valueOf(mode))
                            && !Integer.valueOf(0).equals(threshold));
        } catch (ReflectiveOperationException | LinkageError e) {
            log.debug("The driver's session cannot be looked at", e);
            return null;
        }
    }

    /** Has the driver name a statement the first time it runs. */
    static void nameAtOnce(PreparedStatement statement) throws SQLException {
        try {
            Class<?> type = find(STATEMENT);
            Method method = type.getMethod("setPrepareThreshold", int.class);
            method.invoke(statement.unwrap(type), 1);
        } catch (ReflectiveOperationException | LinkageError e) {
            throw new SQLException("The driver's statement cannot be prepared", e);
        }
    }

    private static Class<?> find(String name) throws ClassNotFoundException {
        return Class.forName(name, false, DriverSession.class.getClassLoader());
    }
}
