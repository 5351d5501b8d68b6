package io.dedup.store.jdbc.internal.mysql;

import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.store.jdbc.internal.sql.KeyBytes;
import io.dedup.text.Utf8;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The names under which MariaDB keeps statements, parsed, in each session. Its driver sends statements as text unless
 * {@code useServerPrepStmts} is set, and parsing one takes the server as long as executing it.
 *
 * <p>What is noted here can be wrong: a pool may reset a session, and a driver may connect again. The server then doesn't know the
 * name, and has done nothing. A name stands for one text in one database, so a session that knows it from elsewhere, such as
 * behind a proxy, runs the same statement. Thread-safe.
 */
final class SessionStatements {
    /** How often one session may lose its names before sessions count as reset all the time. */
    private static final int MOST_LOSSES = 3;

    private static final String DRIVER = "org.mariadb.jdbc.Connection";

    /** A capability of the protocol: the server reports a change of the session's database. */
    private static final long SESSION_TRACK = 1L << 23;

    private static final Logger log = LoggerFactory.getLogger(SessionStatements.class);

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Object, Session> sessions = new WeakHashMap<>(); // by the driver's connection
    private final @Nullable Class<?> driver = driver();
    private final boolean tableHasDatabase;
    private final Map<String, String> names = new ConcurrentHashMap<>(); // by database and statement
    private volatile boolean ended;

    SessionStatements(JdbcSettings settings) {
        this.tableHasDatabase = settings.table().schema() != null;
    }

    /** What is known of a session; used by one thread at a time, as its connection is. */
    static final class Session {
        private final boolean strict;
        private final boolean named;
        private final Set<String> names = new HashSet<>();
        private int losses;

        private Session(boolean strict, boolean named) {
            this.strict = strict;
            this.named = named;
        }

        /** Whether the session was in strict mode when it was first seen, in which a value that doesn't fit fails. */
        boolean isStrict() {
            return strict;
        }

        boolean has(String name) {
            return names.contains(name);
        }

        void add(String name) {
            names.add(name);
        }
    }

    private static @Nullable Class<?> driver() {
        try {
            return Class.forName(DRIVER, false, SessionStatements.class.getClassLoader());
        } catch (ClassNotFoundException | LinkageError e) {
            return null; // the driver is another one
        }
    }

    /** The session of a connection; null if the driver is another one. */
    @Nullable
    Session of(Connection connection) throws SQLException {
        if (driver == null || !connection.isWrapperFor(driver)) {
            return null;
        }
        Object physical = connection.unwrap(driver);
        Session known = find(physical);
        if (known == null) {
            known = read(connection, canHaveNames(driver, physical));
            put(physical, known);
        }
        return known;
    }

    /** Whether the statements of a session get names. */
    boolean areNamed(Session session) {
        return session.named && !ended;
    }

    private @Nullable Session find(Object physical) {
        lock.lock();
        try {
            return sessions.get(physical);
        } finally {
            lock.unlock();
        }
    }

    private void put(Object physical, Session session) {
        lock.lock();
        try {
            sessions.put(physical, session);
        } finally {
            lock.unlock();
        }
    }

    /** Whether the driver sends statements as text, and is informed of the session's database. It is asked by reflection. */
    private static boolean canHaveNames(Class<?> driver, Object connection) {
        try {
            Method context = driver.getMethod("getContext");
            Class<?> type = context.getReturnType();
            Object found = context.invoke(connection);
            Method options = type.getMethod("getConf");
            boolean prepares = (Boolean)
                    options.getReturnType().getMethod("useServerPrepStmts").invoke(options.invoke(found));
            return !prepares
                    && (Boolean)
                            type.getMethod("hasClientCapability", long.class).invoke(found, SESSION_TRACK);
        } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException | LinkageError e) {
            log.debug("The options of MariaDB's driver cannot be read", e);
            return false;
        }
    }

    /**
     * Asks the server about a session: its mode; and, for names, whether the driver notices when a statement changes the session's
     * database, in which a table without a database is found.
     */
    private Session read(Connection connection, boolean canHaveNames) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(
                        "SELECT @@sql_mode REGEXP 'STRICT_(ALL|TRANS)_TABLES', @@session_track_schema")) {
            result.next();
            return new Session(result.getInt(1) == 1, canHaveNames && (tableHasDatabase || result.getInt(2) == 1));
        }
    }

    /** The name of a statement on this connection. */
    String name(Connection connection, String sql) throws SQLException {
        String database = tableHasDatabase ? "" : connection.getCatalog() + "\0" + connection.getSchema();
        String known = database + "\0" + sql;
        return names.computeIfAbsent(
                known,
                text -> "dedup_"
                        + Long.toHexString(ByteBuffer.wrap(Utf8.sha256(KeyBytes.utf8(text)))
                                .getLong()));
    }

    /** A session doesn't know a name that it had. */
    void lost(Session session) {
        session.names.clear();
        session.losses++;
        if (session.losses >= MOST_LOSSES) {
            end("sessions forget them, as they do if the pool resets its connections");
        }
    }

    /** From now on, statements have no names. */
    void end(String reason) {
        if (!ended) {
            ended = true;
            log.info(
                    "MariaDB parses each statement again, because they cannot be kept in sessions by name: {}. With"
                            + " useServerPrepStmts=true in the JDBC URL, the driver keeps them",
                    reason);
        }
    }
}
