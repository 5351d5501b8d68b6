package io.dedup.store.jdbc.internal.connection;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits how long a connection waits for a server that does not answer. A host that disappears without closing its
 * connections (power, network) would otherwise block a thread for as long as TCP retransmits, which is 15 minutes or
 * more.
 *
 * <p>Setting a limit costs no round trip. Thread-safe.
 */
public final class SilenceLimit {
    /** What {@link #set} returns where there is nothing to restore. */
    public static final int UNCHANGED = -1;

    private static final Logger log = LoggerFactory.getLogger(SilenceLimit.class);

    /** Null until the first connection is asked. */
    private volatile @Nullable Boolean supported;

    /**
     * Sets the limit, unless the connection already has a shorter one.
     *
     * @param millis above 0
     * @return what {@link #restore} takes afterwards
     * @throws SQLException when the connection is closed
     */
    public int set(Connection connection, int millis) throws SQLException {
        if (supported == null) {
            supported = isSupported(connection);
        }
        if (!Boolean.TRUE.equals(supported)) {
            return UNCHANGED;
        }
        try {
            int before = connection.getNetworkTimeout();
            if (before > 0 && before <= millis) {
                return UNCHANGED;
            }
            connection.setNetworkTimeout(Runnable::run, millis);
            return before;
        } catch (SQLFeatureNotSupportedException | AbstractMethodError e) {
            supported = false;
            log.debug("The driver has no network timeouts", e);
            return UNCHANGED;
        }
    }

    /** Asks the driver past the pool: HikariCP ends a connection on which a feature isn't supported. */
    private static boolean isSupported(Connection connection) throws SQLException {
        try {
            Connection driver =
                    connection.isWrapperFor(Connection.class) ? connection.unwrap(Connection.class) : connection;
            driver.setNetworkTimeout(Runnable::run, driver.getNetworkTimeout()); // HSQLDB answers 0, and takes none
            return true;
        } catch (SQLFeatureNotSupportedException | AbstractMethodError e) {
            log.debug("The driver has no network timeouts", e);
            return false;
        }
    }

    /** @throws SQLException when the connection is closed */
    public static void restore(Connection connection, int before) throws SQLException {
        if (before != UNCHANGED) {
            connection.setNetworkTimeout(Runnable::run, before);
        }
    }
}
