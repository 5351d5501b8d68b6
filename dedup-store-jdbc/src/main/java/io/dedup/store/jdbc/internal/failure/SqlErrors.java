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

    /**
     * The error classes that a server raises for the content of a statement or a deferred constraint, also within the
     * commit, as with JPA's flush: cardinality, data, constraints, the transaction's state, routines and triggers,
     * syntax and access rules, check options.
     */
    private static final Set<String> REFUSALS =
            Set.of("0A", "21", "22", "23", "25", "2F", "38", "39", "42", "44", "45", "P0");
    /** MySQL and MariaDB, without such a state: no default value; a value that doesn't go into its column. */
    private static final Set<Integer> MYSQL_REFUSALS = Set.of(1364, 1366);

    private static final String ROLLBACKS = "40";
    /** The member of {@link #ROLLBACKS} that leaves the result unknown. */
    private static final String COMPLETION_UNKNOWN = "40003";

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
     * Whether the failure of a commit proves that nothing was committed. If a driver reconnects after a commit without
     * an answer, its exception shows a transaction state (MariaDB: 25S03) and the kind of a connection failure.
     */
    public boolean provesRollback(Throwable failure) {
        return undoesTransaction(failure)
                || SqlCauses.anySql(failure, e -> {
                    String state = state(e);
                    boolean refused = (state.length() == 5 && REFUSALS.contains(state.substring(0, 2)))
                            || (database.isMySqlOrMariaDb() && MYSQL_REFUSALS.contains(e.getErrorCode()))
                            || (state.startsWith(ROLLBACKS) && !state.equals(COMPLETION_UNKNOWN));
                    return refused && !isOfConnection(e);
                });
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
