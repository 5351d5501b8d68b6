package io.dedup.store.jdbc.internal.intermediary;

import io.dedup.store.jdbc.internal.dialect.SkipLocked;
import io.dedup.store.jdbc.internal.sql.TableName;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;

/**
 * Finds out whether a pooler between the driver and PostgreSQL gives each transaction, or each statement, any of its sessions
 * (PgBouncer with {@code pool_mode = transaction}), and refuses what is unsafe there. The store itself keeps nothing in a session:
 * its locks and settings end with the transaction. But two things that the application may have set would:
 *
 * <ul>
 *   <li>The driver's prepared statements. Each connection counts its names from 1, so a claim can run the statement that another
 *       connection has prepared under the same name.
 *   <li>A {@code search_path} that was set in the session. A table without a schema is then another one from call to call.
 * </ul>
 */
public final class SharedSessions {
    /** While sessions are lent from an idle pool, the first round answers. Under load, which session is lent is random. */
    private static final int ROUNDS = 6;

    /** A statement of this name exists; no statement has this name. */
    private static final Set<String> NOT_TRACKED = Set.of("42P05", "26000");

    private static final String SHARED =
            "The connections come from a pooler that lends its sessions for a transaction or a"
                    + " statement (as PgBouncer does with pool_mode = transaction), but ";

    private static final String MAYBE_SHARED =
            "The connections come from a pooler. How it lends its sessions cannot be found out with a pool of one connection,"
                    + " so it may be for a transaction or a statement; but ";

    private final TableName table;

    public SharedSessions(TableName table) {
        this.table = table;
    }

    /** Another connection of the pool, borrowed only if it is needed. */
    public interface SecondConnection {
        void with(Questions questions) throws SQLException;
    }

    /** What a second connection is needed for. */
    public interface Questions {
        void ask(Connection second) throws SQLException;
    }

    /**
     * Costs one round trip if there is no pooler.
     *
     * @param first in autocommit mode, as it is again afterwards
     * @param poolOfOne whether there is no second connection
     * @throws IllegalStateException if the store would use what is lost between two transactions
     */
    public void check(Connection first, boolean poolOfOne, SecondConnection session) throws SQLException {
        DriverSession driver = DriverSession.of(first);
        if (driver == null || driver.process() == process(first)) {
            return;
        }
        requirePrimary(first);
        if (poolOfOne) {
            requireNothingKept(MAYBE_SHARED, driver, first);
            return;
        }
        session.with(second -> {
            if (areShared(first, second)) {
                requireTransactions(first, second);
                requireNothingKept(SHARED, driver, first);
                requireNothingKept(SHARED, driver, second);
            }
        });
    }

    /** Some routers (Pgpool-II) send single queries elsewhere than what writes. */
    private static void requirePrimary(Connection connection) throws SQLException {
        for (int round = 0; round < ROUNDS; round++) {
            if (read(connection, "SELECT pg_is_in_recovery()").equals("t")) {
                throw new IllegalStateException(
                        "A query was answered by a standby server: what is between the driver and PostgreSQL sends reads to"
                                + " replicas, or everything. A replica may lack what the store has written. Send all of the"
                                + " store's statements to the primary server");
            }
        }
    }

    /** PgBouncer ends a connection that begins a transaction in statement mode; the driver may see no more than that. */
    private static void requireTransactions(Connection first, Connection second) throws SQLException {
        try {
            SkipLocked.inTransaction(second, () -> process(second));
        } catch (SQLException e) {
            process(first); // fails, too, if it wasn't the transaction
            throw new IllegalStateException(
                    "The connections come from a pooler that ends a connection when it begins a transaction (as PgBouncer"
                            + " does with pool_mode = statement). Use pool_mode = transaction or session",
                    e);
        }
    }

    /** @param found the beginning of the sentence: how sessions are lent */
    private void requireNothingKept(String found, DriverSession driver, Connection connection) throws SQLException {
        if (driver.namesStatements() && !areStatementsTracked(connection)) {
            throw new IllegalStateException(
                    found + "the driver keeps prepared statements in sessions: a claim could run the statement of"
                            + " another connection, or fail with \"prepared statement already exists\". Add"
                            + " prepareThreshold=0 to the JDBC URL. Or use PgBouncer 1.21 or newer with"
                            + " max_prepared_statements above 0, or pool_mode = session");
        }
        if (table.schema() == null && isSearchPathOfSession(connection)) {
            throw new IllegalStateException(found
                    + "the search_path was set in a session (by connectionInitSql, the pool's schema, or SET): table "
                    + table + " could be another one with each transaction. Name its schema, as in"
                    + " table(\"app." + table + "\"), or set it with ALTER ROLE ... SET search_path");
        }
    }

    private static boolean areShared(Connection first, Connection second) throws SQLException {
        Set<Integer> ofFirst = new HashSet<>();
        Set<Integer> ofSecond = new HashSet<>();
        for (int round = 0; round < ROUNDS; round++) {
            ofFirst.add(process(first));
            ofSecond.add(process(second));
            if (areMixed(ofFirst, ofSecond)) {
                return true;
            }
            if (round >= ROUNDS / 2) { // two sessions at least: let the second one take the place of the first
                SkipLocked.inTransaction(first, () -> {
                    ofFirst.add(process(first));
                    return ofSecond.add(process(second));
                });
                SkipLocked.inTransaction(second, () -> ofSecond.add(process(second)));
            }
        }
        return areMixed(ofFirst, ofSecond);
    }

    private static boolean areMixed(Set<Integer> ofFirst, Set<Integer> ofSecond) {
        return ofFirst.size() > 1 || ofSecond.size() > 1 || !Collections.disjoint(ofFirst, ofSecond);
    }

    /** The process of the session. Not prepared, so that it works where nothing prepared does. */
    private static int process(Connection connection) throws SQLException {
        return Integer.parseInt(read(connection, "SELECT pg_backend_pid()"));
    }

    private static boolean isSearchPathOfSession(Connection connection) throws SQLException {
        return read(connection, "SELECT source FROM pg_settings WHERE name = 'search_path'")
                .equals("session");
    }

    /** Whether the pooler gives statements its own names, with which it finds them in each session. */
    private static boolean areStatementsTracked(Connection connection) throws SQLException {
        String mark = UUID.randomUUID().toString();
        try {
            return SkipLocked.inTransaction(connection, () -> {
                boolean driversName;
                try (PreparedStatement named = connection.prepareStatement("SELECT '" + mark + "'")) {
                    DriverSession.nameAtOnce(named);
                    named.execute();
                    driversName = !read(
                                    connection,
                                    "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%" + mark
                                            + "%' AND name LIKE 'S\\_%'")
                            .equals("0");
                }
                process(connection); // takes the driver's message with it that the statement is closed
                return !driversName;
            });
        } catch (SQLException e) {
            if (NOT_TRACKED.contains(String.valueOf(e.getSQLState()))) {
                return false;
            }
            throw e;
        }
    }

    private static String read(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            result.next();
            return String.valueOf(result.getString(1));
        }
    }
}
