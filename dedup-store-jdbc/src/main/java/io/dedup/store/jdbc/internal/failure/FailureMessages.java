package io.dedup.store.jdbc.internal.failure;

import io.dedup.store.jdbc.internal.sql.Database;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.text.Printable;
import java.sql.SQLException;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Words failures: first the database's own message, then what to change, depending on the cause.
 *
 * <p>Shows only the first line of the database's text. Further lines, and the text of errors about data, may quote a
 * message ID; they stay in the cause.
 */
final class FailureMessages {
    private static final Set<String> QUOTES_DATA = Set.of("22", "23");
    /** The connection number that MariaDB's driver puts in front. */
    private static final Pattern DRIVERS_PREFIX = Pattern.compile("^\\(conn=\\d+\\) ");

    private static final Set<String> MISSING_DATABASE = Set.of("3D000");
    private static final Set<String> MISSING_TABLE = Set.of("42P01", "42S02", "42S03", "42S04", "3F000");
    private static final Set<String> MISSING_COLUMN = Set.of("42703", "42S22");

    private static final int MYSQL_MISSING_DATABASE = 1049;
    /** To a database, a command on a table, a column, an operation, a routine. */
    private static final Set<Integer> MYSQL_PRIVILEGES = Set.of(1044, 1142, 1143, 1227, 1370);

    private static final String POSTGRES_PRIVILEGE = "42501";
    private static final int H2_PRIVILEGE = 90096;
    private static final int H2_MISSING_SCHEMA = 90079;
    private static final Set<Integer> H2_MISSING_DATABASE = Set.of(90146, 90149, 90013);

    private final JdbcSettings settings;
    private final Database database;

    FailureMessages(JdbcSettings settings, Database database) {
        this.settings = settings;
        this.database = database;
    }

    /**
     * Words a failure.
     *
     * @param kind of the exception, from {@link SqlErrors#kind}
     */
    String of(String operation, SQLException e, FailureKind kind) {
        SQLException telling = mostTelling(e);
        String state = SqlErrors.state(telling);
        int code = telling.getErrorCode();
        if (isLogin(state)) {
            return "Cannot connect to the database of table " + settings.table() + ": " + said(telling)
                    + ". Check the user name and the password of the DataSource (Spring Boot: spring.datasource.username and"
                    + " spring.datasource.password)";
        }
        if (isMissingDatabase(state, code)) {
            return "Cannot connect to the database of table " + settings.table() + ": " + said(telling)
                    + ". Check the database in the JDBC URL of the DataSource (Spring Boot: spring.datasource.url)"
                    + (settings.table().schema() == null ? "" : " and the schema in table(...)");
        }
        String failed = operation + " on table " + settings.table() + " failed: " + said(telling) + ". ";
        if (isPrivilege(state, code) && Stream.of(e.getSuppressed()).anyMatch(this::isMissingTable)) {
            return failed
                    + "The table is missing, and the user of the DataSource lacks the privilege to create it: let another user"
                    + " apply classpath:" + database.schemaResource(settings.keys())
                    + " and set initializeSchema(NEVER), or grant this one CREATE"
                    + (database == Database.POSTGRESQL ? " and USAGE on the schema" : "");
        }
        if (isPrivilege(state, code)) {
            return failed
                    + "The user of the DataSource lacks a privilege: grant it SELECT, INSERT, UPDATE and DELETE on table "
                    + settings.table() + schemaPrivilege();
        }
        if (isMissingTable(telling)) {
            return failed + "The table is missing" + where() + ": apply classpath:"
                    + database.schemaResource(settings.keys())
                    + ", or set initializeSchema(ALWAYS), or correct table(...)";
        }
        if (MISSING_COLUMN.contains(state)) {
            return failed + "The table lacks a column: compare it with classpath:"
                    + database.schemaResource(settings.keys())
                    + ", or set table(...) to another one. The store never changes an existing table";
        }
        if (SqlErrors.isReadOnly(telling)) {
            return failed
                    + "The server or the connection is read-only, but the store must write: point the JDBC URL to the"
                    + " primary server, and do not set the pool's connections to read-only. A DataSource that routes"
                    + " read-only transactions to a replica must not be called by one: call the store outside of it, or give"
                    + " the store the primary server's DataSource";
        }
        return failed + advice(kind);
    }

    private String advice(FailureKind kind) {
        return switch (kind) {
            case LOCKED -> capital(lockedHint());
            case TOO_LARGE ->
                "The statement exceeds the limit of the server or the driver: raise max_allowed_packet, or lower"
                        + " maxBatch(...) or the size of results";
            case NO_ANSWER ->
                "No connection or no answer in time: check the server, the pool and its connection timeout, or raise"
                        + " queryTimeout(...), which is " + settings.queryTimeout();
            case RACE, OTHER -> "See the cause for details";
        };
    }

    private static String capital(String text) {
        return Character.toUpperCase(text.charAt(0)) + text.substring(1);
    }

    String lockedHint() {
        return "another session has held a lock for longer than lockTimeout(...), which is " + settings.lockTimeout()
                + ". End the transaction that holds it, or raise lockTimeout";
    }

    private String where() {
        String schema = settings.table().schema();
        if (schema != null) {
            return " in schema " + schema + ", or there is no such schema";
        }
        return switch (database) {
            case POSTGRESQL -> " in the schemas of the connection's search_path";
            case MYSQL, MARIADB -> " in the database that the JDBC URL names";
            case H2, GENERIC -> " in the connection's schema";
        };
    }

    private String schemaPrivilege() {
        String schema = settings.table().schema();
        return schema != null && database == Database.POSTGRESQL ? ", and USAGE on schema " + schema : "";
    }

    private static boolean isLogin(String state) {
        return state.startsWith("28");
    }

    private boolean isMissingDatabase(String state, int code) {
        return MISSING_DATABASE.contains(state)
                || (database.maybeMySqlOrMariaDb() && code == MYSQL_MISSING_DATABASE)
                || (database.maybeH2() && H2_MISSING_DATABASE.contains(code));
    }

    private boolean isMissingTable(Throwable e) {
        return e instanceof SQLException sql
                && (MISSING_TABLE.contains(SqlErrors.state(sql))
                        || (database.maybeH2() && sql.getErrorCode() == H2_MISSING_SCHEMA));
    }

    private boolean isPrivilege(String state, int code) {
        return POSTGRES_PRIVILEGE.equals(state)
                || (database.maybeMySqlOrMariaDb() && MYSQL_PRIVILEGES.contains(code))
                || (database.maybeH2() && code == H2_PRIVILEGE);
    }

    /** The exception with the most information: the cause of a pool's timeout may be the server's rejection. */
    private static SQLException mostTelling(SQLException e) {
        SQLException telling = e;
        for (SQLException each : SqlCauses.sqlOf(e)) {
            if (each.getSQLState() != null || telling.getSQLState() == null) {
                telling = each;
            }
        }
        return telling;
    }

    /** The first line of the database's own text, and its code for the error. */
    private static String said(SQLException e) {
        String state = SqlErrors.state(e);
        String code = (state.isEmpty() ? "" : "SQLState " + state + ", ") + "code " + e.getErrorCode();
        boolean quotes = state.length() == 5 && QUOTES_DATA.contains(state.substring(0, 2));
        String text = e.getMessage() == null
                ? ""
                : e.getMessage().strip().lines().findFirst().orElse("");
        if (quotes || text.isEmpty()) {
            return code;
        }
        String sentence = Printable.sentence(DRIVERS_PREFIX.matcher(text).replaceFirst(""));
        while (sentence.endsWith(".") || sentence.endsWith(";")) {
            sentence = sentence.substring(0, sentence.length() - 1);
        }
        return sentence + " (" + code + ")";
    }
}
