package io.dedup.store.jdbc.internal.mysql;

import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.store.jdbc.internal.sql.Statements;

/**
 * The statements that nearly every message needs, on MariaDB, which sessions keep. They leave the mode of a session alone that is
 * strict, as it is by default, because setting it takes the server longer than all other limits together: no assignment of theirs
 * depends on another one, and no value is cut.
 */
record MariaDbStatements(KeptStatement firstClaim, MySqlCompletions.Single completion, KeptStatement record) {
    /**
     * The session's answer to whether a backslash escapes has to be kept: MariaDB's driver takes it from the server's last
     * answer, and writes the values of the connection's next statement, whoever makes it, accordingly.
     */
    private static final String STRICT = "sql_mode = IF(FIND_IN_SET('NO_BACKSLASH_ESCAPES', @@sql_mode),"
            + " 'STRICT_ALL_TABLES,NO_BACKSLASH_ESCAPES', 'STRICT_ALL_TABLES'), ";

    static MariaDbStatements of(JdbcSettings settings, Statements statements) {
        SessionStatements sessions = new SessionStatements(settings);
        String waits = MySqlSql.UTC + ", " + limits(settings, wait(settings));
        return new MariaDbStatements(
                kept(settings, statements, sessions, waits, MySqlSql.FIRST_CLAIM),
                new MySqlCompletions.Single(
                        kept(settings, statements, sessions, waits, one(MySqlSql.COMPLETE_FOR)),
                        kept(settings, statements, sessions, waits, one(MySqlSql.COMPLETE_FOR_EVER))),
                kept(settings, statements, sessions, limits(settings, 0), MySqlSql.insertOne()));
    }

    private static String one(String set) {
        return MySqlSql.updateOfOneOwner(set) + "?)";
    }

    private static KeptStatement kept(
            JdbcSettings settings, Statements statements, SessionStatements sessions, String limits, String statement) {
        return new KeptStatement(
                sessions,
                statements,
                MySqlSql.of(settings, "SET STATEMENT " + limits + " FOR ", statement),
                MySqlSql.of(settings, "SET STATEMENT " + STRICT + limits + " FOR ", statement),
                "SET STATEMENT " + limits(settings, 0) + " FOR ");
    }

    private static int wait(JdbcSettings settings) {
        return JdbcSettings.wholeSeconds(settings.lockTimeout());
    }

    /** The first limit applies to row locks, the second to table locks, for example during ALTER TABLE. */
    private static String limits(JdbcSettings settings, int lockWaitSeconds) {
        return "innodb_lock_wait_timeout = " + lockWaitSeconds
                + ", lock_wait_timeout = " + wait(settings)
                + ", max_statement_time = " + settings.queryTimeout().toMillis() / 1_000.0;
    }

    /**
     * Limits that are sent with the statement in one round trip and end with it. The SQL mode keeps assignments in
     * their order, and the time zone makes the clock cheap.
     */
    static String limitsOf(JdbcSettings settings) {
        return all(settings, wait(settings));
    }

    /** The same for statements that don't wait for locked rows. */
    static String noWaitOf(JdbcSettings settings) {
        return all(settings, 0);
    }

    private static String all(JdbcSettings settings, int lockWaitSeconds) {
        return "SET STATEMENT " + STRICT + MySqlSql.UTC + ", " + limits(settings, lockWaitSeconds) + " FOR ";
    }
}
