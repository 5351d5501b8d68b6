package io.dedup.store.jdbc.internal.failure;

import io.dedup.store.jdbc.internal.sql.Database;
import io.dedup.text.Causes;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;
import org.springframework.jdbc.support.SQLExceptionTranslator;

/** Classifies an {@link SQLException} by its class, state and code. Unknown ones are {@code OTHER}. */
public final class SqlErrors {
    private static final Set<String> RACE_STATES = Set.of("40001", "40P01", "23505");
    /** Deadlock, serialization failure: the database rolled the transaction back because of other sessions. */
    private static final Set<String> UNDONE_STATES = Set.of("40001", "40P01");

    /** PostgreSQL: an earlier statement of the transaction failed. */
    private static final String IN_FAILED_TRANSACTION = "25P02";

    /** The error classes that every server raises for a statement, a constraint, a trigger or a transaction that it has undone. */
    private static final Set<String> REFUSALS =
            Set.of("0A", "21", "22", "23", "25", "2F", "38", "39", "40", "42", "44", "45", "54", "P0");
    /** Members of {@link #REFUSALS} that leave the result unknown: the server doesn't know it; no transaction is open. */
    private static final Set<String> COMPLETION_UNKNOWN = Set.of("40003", "25P01");

    /**
     * PostgreSQL's error classes in which a pooler, a relative or a new connection may speak instead of the server: connection,
     * login, catalog, resources, shutdown, system, foreign servers, internal errors.
     */
    private static final Set<String> POSTGRES_UNSURE = Set.of("08", "28", "3D", "53", "57", "58", "F0", "HV", "XX");
    /** What its driver says by itself. */
    private static final Set<String> POSTGRES_DRIVER = Set.of("60000", "99999");

    /**
     * MySQL's and MariaDB's errors that don't tell how a commit ended, that relatives use for any, or that a new connection meets:
     * login; unknown; host; commit; rollback; read-only server; no binary log; read-only; offline; group replication; shutting
     * down; killed.
     */
    private static final Set<Integer> MYSQL_UNSURE =
            Set.of(1045, 1105, 1129, 1130, 1180, 1181, 1290, 1598, 1836, 3032, 3100, 3168, 3169);
    /** Up to here: of the server's files and memory. */
    private static final int MYSQL_LAST_OF_SYSTEM = 1041;

    /** H2: object closed; two of files; three of connections and the database; out of memory. */
    private static final Set<Integer> H2_UNSURE = Set.of(90007, 90028, 90031, 90067, 90098, 90108, 90121);

    /** Oracle's class for most statements. Its errors before this one are those of sessions and of the server. */
    private static final String ORACLE_EXECUTION = "72";

    private static final int ORACLE_FIRST_OF_DATA = 1100;

    private static final String OUT_OF_MEMORY = "53200";
    private static final Set<String> LOCKED_STATES = Set.of("55P03");
    private static final Set<String> NO_ANSWER_STATES = Set.of("57014", "57P01", "57P02", "57P03", "70100");
    private static final Set<String> READ_ONLY_STATES = Set.of("25006");

    /** MySQL and MariaDB: deadlock; record has changed since last read (MariaDB's snapshot isolation). */
    private static final Set<Integer> MYSQL_RACES = Set.of(1213, 1020);
    /** MySQL and MariaDB: lock wait timeout; NOWAIT. */
    private static final Set<Integer> MYSQL_LOCKED = Set.of(1205, 3572);
    /** MySQL and MariaDB: statement timeout, by whichever of the two means. */
    private static final Set<Integer> MYSQL_TIMEOUTS = Set.of(1317, 1969, 3024);
    /** H2: a row was changed concurrently; it took too long to lock one. */
    private static final int H2_CONCURRENT_UPDATE = 90131;

    private static final int H2_LOCK_TIMEOUT = 50200;

    private static final int MYSQL_PACKET_TOO_LARGE = 1153;
    /** Exceptions of MariaDB's and MySQL's drivers, which know the server's limit and do not send larger statements. */
    private static final Set<String> TOO_LARGE_CLASSES = Set.of("MaxAllowedPacketException", "PacketTooBigException");
    /** MySQL and MariaDB: by an option of the server's; by the transaction's; by the server's mode. H2: by the database's. */
    private static final Set<Integer> READ_ONLY_CODES = Set.of(1290, 1792, 1836, 90097);

    private final Database database;
    private final SQLExceptionTranslator translator = new SQLExceptionSubclassTranslator();

    SqlErrors(Database database) {
        this.database = database;
    }

    public FailureKind kind(SQLException exception) {
        for (SQLException each : SqlCauses.batchOf(exception)) {
            FailureKind kind = kindOfOne(each);
            if (kind != FailureKind.OTHER) {
                return kind;
            }
        }
        return byTranslator(exception);
    }

    private FailureKind kindOfOne(SQLException e) {
        String state = state(e);
        int code = e.getErrorCode();
        boolean h2 = isOfH2(e);
        boolean mysql = database.isMySqlOrMariaDb();
        if (isTooLarge(e)) {
            return FailureKind.TOO_LARGE;
        }
        if (LOCKED_STATES.contains(state)
                || (mysql && MYSQL_LOCKED.contains(code))
                || (h2 && code == H2_LOCK_TIMEOUT)) {
            return FailureKind.LOCKED;
        }
        if (RACE_STATES.contains(state)
                || (mysql && MYSQL_RACES.contains(code))
                || (h2 && code == H2_CONCURRENT_UPDATE)) {
            return FailureKind.RACE;
        }
        boolean noAnswer = e instanceof SQLTimeoutException
                || isOfConnection(e)
                || state.startsWith("08")
                || NO_ANSWER_STATES.contains(state)
                || (mysql && MYSQL_TIMEOUTS.contains(code));
        return noAnswer ? FailureKind.NO_ANSWER : FailureKind.OTHER;
    }

    /** Compares the names of classes, because the drivers are the user's choice. */
    private boolean isTooLarge(SQLException e) {
        if (!database.isMySqlOrMariaDb()) {
            return false;
        }
        return e.getErrorCode() == MYSQL_PACKET_TOO_LARGE
                || Causes.of(e).stream()
                        .anyMatch(cause ->
                                TOO_LARGE_CLASSES.contains(cause.getClass().getSimpleName()));
    }

    public static boolean isReadOnly(SQLException e) {
        return READ_ONLY_STATES.contains(state(e)) || READ_ONLY_CODES.contains(e.getErrorCode());
    }

    private static boolean isOfConnection(SQLException e) {
        return e instanceof SQLRecoverableException
                || e instanceof SQLTransientConnectionException
                || e instanceof SQLNonTransientConnectionException;
    }

    private static boolean isOfH2(SQLException e) {
        return e.getClass().getName().startsWith("org.h2.");
    }

    /**
     * Whether the database rolled back more than the statement: on H2, MySQL and MariaDB, the next statement would
     * silently start a new transaction. Does not use Spring's exceptions, which do not distinguish this from a lock
     * timeout of a single statement.
     */
    public boolean undoesTransaction(Throwable failure) {
        return SqlCauses.anySql(
                failure,
                e -> UNDONE_STATES.contains(state(e))
                        || (database.isMySqlOrMariaDb() && MYSQL_RACES.contains(e.getErrorCode())));
    }

    /** Whether this transaction failed because of another one. */
    public boolean isUndoneByOthers(Throwable failure) {
        return undoesTransaction(failure)
                || SqlCauses.anySql(failure, e -> isOfH2(e) && e.getErrorCode() == H2_CONCURRENT_UPDATE);
    }

    /**
     * Whether the failure of a commit, or of JPA's flush before it, proves that nothing was committed: the server has answered, and
     * with an error. If a driver reconnects after a commit without an answer, its exception shows a transaction state (MariaDB:
     * 25S03) and the kind of a connection failure.
     *
     * <p>A locked row isn't taken for proof, although it would be one: it has nothing to do with what the message contains, so that
     * deferring the message is better than counting a failure of the handler.
     */
    public boolean provesRollback(Throwable failure) {
        return undoesTransaction(failure)
                || (!SqlCauses.anySql(failure, this::isOfNoMessage) && SqlCauses.anySql(failure, this::isAnswer));
    }

    /** Whether nobody may have answered, or others are in the way. */
    private boolean isOfNoMessage(SQLException e) {
        FailureKind kind = kindOfOne(e);
        return kind != FailureKind.TOO_LARGE
                && (kind == FailureKind.NO_ANSWER
                        || kind == FailureKind.LOCKED
                        || e instanceof SQLTimeoutException
                        || isOfConnection(e));
    }

    private boolean isAnswer(SQLException e) {
        if (isTooLarge(e)) { // so it wasn't the commit
            return true;
        }
        String state = state(e);
        if (state.length() != 5 || COMPLETION_UNKNOWN.contains(state)) {
            return false;
        }
        String kind = state.substring(0, 2);
        int code = e.getErrorCode();
        return REFUSALS.contains(kind)
                || switch (database) {
                    case POSTGRESQL -> !POSTGRES_UNSURE.contains(kind) && !POSTGRES_DRIVER.contains(state);
                    case MYSQL, MARIADB -> isAnswerOfMySql(code);
                    case H2 -> kind.equals("90") && !H2_UNSURE.contains(code);
                    case GENERIC -> kind.equals(ORACLE_EXECUTION) && code >= ORACLE_FIRST_OF_DATA;
                };
    }

    /** By its code, as most have the same state. Codes beyond are those of drivers, proxies and relatives. */
    private static boolean isAnswerOfMySql(int code) {
        boolean itsOwn = (code > MYSQL_LAST_OF_SYSTEM && code < 2000) || (code >= 3000 && code < 4000);
        return itsOwn && !MYSQL_UNSURE.contains(code);
    }

    /** Whether the transaction had failed before, so that nothing in it can be committed. */
    public static boolean isInFailedTransaction(SQLException e) {
        return IN_FAILED_TRANSACTION.equals(e.getSQLState());
    }

    /** Whether PostgreSQL's table of locks is full. */
    public boolean isTooMany(SQLException e) {
        return database == Database.POSTGRESQL && OUT_OF_MEMORY.equals(e.getSQLState());
    }

    static String state(SQLException e) {
        return e.getSQLState() == null ? "" : e.getSQLState();
    }

    /** For databases whose codes are not listed here. */
    private FailureKind byTranslator(SQLException exception) {
        DataAccessException translated = translator.translate("dedup", null, exception);
        if (translated instanceof DuplicateKeyException) {
            return FailureKind.RACE;
        }
        return translated instanceof PessimisticLockingFailureException ? FailureKind.LOCKED : FailureKind.OTHER;
    }
}
