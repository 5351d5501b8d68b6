package io.dedup.store.jdbc.internal.failure;

import io.dedup.store.DedupStoreException;
import io.dedup.store.ResultTooLargeException;
import io.dedup.store.jdbc.internal.sql.Database;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;
import org.springframework.jdbc.support.SQLExceptionTranslator;

/** Tells what an {@link SQLException} means for the store, and puts it into words. What it doesn't know is an error. */
public final class SqlFailures {
    /** What to do about an exception. */
    public enum Kind {
        /** The statement was undone because of somebody else's: ask again. */
        RACE,
        /** Somebody holds a row longer than the lock time-out. */
        LOCKED,
        /** The connection is gone, or gives no answer in time: don't go on with it. */
        NO_ANSWER,
        /** The statement is larger than the server, or the driver on its behalf, takes: nothing of it was done. */
        TOO_LARGE,
        /** Anything else. */
        OTHER
    }

    private static final Set<String> RACE_STATES = Set.of("40001", "40P01", "23505");
    /** Deadlock, serialization failure: the database has undone the transaction because of others. */
    private static final Set<String> UNDONE_STATES = Set.of("40001", "40P01");

    /** PostgreSQL: a statement before this one has failed. */
    private static final String IN_FAILED_TRANSACTION = "25P02";

    /**
     * The classes of errors that a server raises for what a statement, or a deferred constraint, is about, be it within
     * the commit, as with JPA's flush: cardinality, data, constraints, the transaction's state, routines and triggers,
     * syntax and access rules, check options.
     */
    private static final Set<String> REFUSALS =
            Set.of("0A", "21", "22", "23", "25", "2F", "38", "39", "42", "44", "45", "P0");
    /** MySQL and MariaDB, without such a state: no default value; a value that doesn't go into its column. */
    private static final Set<Integer> MYSQL_REFUSALS = Set.of(1364, 1366);

    private static final String ROLLBACKS = "40";
    /** The one of {@link #ROLLBACKS} that isn't sure. */
    private static final String COMPLETION_UNKNOWN = "40003";

    private static final String OUT_OF_MEMORY = "53200";
    private static final Set<String> LOCKED_STATES = Set.of("55P03");
    private static final Set<String> NO_ANSWER_STATES = Set.of("57014", "57P01", "57P02", "57P03", "70100");
    private static final Set<String> READ_ONLY_STATES = Set.of("25006");

    /** MySQL and MariaDB: deadlock; record has changed since last read (MariaDB's snapshot isolation). */
    private static final Set<Integer> MYSQL_RACES = Set.of(1213, 1020);
    /** MySQL and MariaDB: lock wait time-out; NOWAIT. */
    private static final Set<Integer> MYSQL_LOCKED = Set.of(1205, 3572);
    /** MySQL and MariaDB: statement time-out, by whichever of the two means. */
    private static final Set<Integer> MYSQL_TIMEOUTS = Set.of(1317, 1969, 3024);
    /** H2: a row was changed concurrently; it took too long to lock one. */
    private static final int H2_CONCURRENT_UPDATE = 90131;

    private static final int H2_LOCK_TIMEOUT = 50200;

    private static final int MYSQL_PACKET_TOO_LARGE = 1153;
    /** Of MariaDB's and of MySQL's driver, which know the server's limit and don't send what is beyond it. */
    private static final Set<String> TOO_LARGE_CLASSES = Set.of("MaxAllowedPacketException", "PacketTooBigException");
    /** MySQL and MariaDB: by an option of the server's; by the transaction's; by the server's mode. H2: by the database's. */
    private static final Set<Integer> READ_ONLY_CODES = Set.of(1290, 1792, 1836, 90097);

    private final JdbcSettings settings;
    private final Database database;
    private final FailureMessages messages;
    private final SQLExceptionTranslator translator = new SQLExceptionSubclassTranslator();

    public SqlFailures(JdbcSettings settings, Database database) {
        this.settings = settings;
        this.database = database;
        this.messages = new FailureMessages(settings, database);
    }

    public Kind kind(SQLException exception) {
        SQLException cause = exception;
        while (cause != null) {
            Kind kind = kindOfOne(cause);
            if (kind != Kind.OTHER) {
                return kind;
            }
            cause = cause.getNextException(); // of a failed batch
        }
        return byTranslator(exception);
    }

    private Kind kindOfOne(SQLException e) {
        String state = state(e);
        int code = e.getErrorCode();
        boolean h2 = isOfH2(e);
        boolean mysql = database.isMySqlOrMariaDb();
        if (isTooLarge(e)) {
            return Kind.TOO_LARGE;
        }
        if (LOCKED_STATES.contains(state)
                || (mysql && MYSQL_LOCKED.contains(code))
                || (h2 && code == H2_LOCK_TIMEOUT)) {
            return Kind.LOCKED;
        }
        if (RACE_STATES.contains(state)
                || (mysql && MYSQL_RACES.contains(code))
                || (h2 && code == H2_CONCURRENT_UPDATE)) {
            return Kind.RACE;
        }
        boolean noAnswer = e instanceof SQLTimeoutException
                || isOfConnection(e)
                || state.startsWith("08")
                || NO_ANSWER_STATES.contains(state)
                || (mysql && MYSQL_TIMEOUTS.contains(code));
        return noAnswer ? Kind.NO_ANSWER : Kind.OTHER;
    }

    /** Looks at classes by their names, as the drivers are the user's. */
    private boolean isTooLarge(SQLException e) {
        if (!database.isMySqlOrMariaDb()) {
            return false;
        }
        Throwable cause = e;
        for (int i = 0; cause != null && i < Causes.MAX_DEPTH; i++) {
            if (TOO_LARGE_CLASSES.contains(cause.getClass().getSimpleName())) {
                return true;
            }
            cause = cause.getCause();
        }
        return e.getErrorCode() == MYSQL_PACKET_TOO_LARGE;
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
     * Whether more than a statement is undone: on H2, MySQL and MariaDB what follows would silently be a new transaction.
     * Not told by Spring's exceptions, which take lock time-outs of single statements for the same.
     */
    public boolean undoesTransaction(Throwable failure) {
        return Causes.anySql(
                failure,
                e -> UNDONE_STATES.contains(state(e))
                        || (database.isMySqlOrMariaDb() && MYSQL_RACES.contains(e.getErrorCode())));
    }

    /** Whether somebody else's transaction is why this one failed. */
    public boolean isUndoneByOthers(Throwable failure) {
        return undoesTransaction(failure)
                || Causes.anySql(failure, e -> isOfH2(e) && e.getErrorCode() == H2_CONCURRENT_UPDATE);
    }

    /**
     * Whether what a commit failed with is the database's own word that nothing was committed. A driver that connects anew after
     * a commit without an answer says so by a transaction's state (MariaDB's: 25S03), and by the kind of exception.
     */
    public boolean provesRollback(Throwable failure) {
        return undoesTransaction(failure)
                || Causes.anySql(failure, e -> {
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

    /** For databases whose codes aren't listed here. */
    private Kind byTranslator(SQLException exception) {
        DataAccessException translated = translator.translate("dedup", null, exception);
        if (translated instanceof DuplicateKeyException) {
            return Kind.RACE;
        }
        return translated instanceof PessimisticLockingFailureException ? Kind.LOCKED : Kind.OTHER;
    }

    public DedupStoreException failed(String operation, SQLException e) {
        return new DedupStoreException(message(operation, e), e);
    }

    /** For a result that wasn't sent. */
    public ResultTooLargeException resultTooLarge(String operation, int bytes, int most) {
        return new ResultTooLargeException(
                operation + " on table " + settings.table() + ": a result of " + bytes
                        + " bytes isn't kept for duplicates,"
                        + " as the database takes " + most
                        + " at most. Raise max_allowed_packet to more than twice the size, or"
                        + " lower maxResultBytes",
                null);
    }

    /** What failed in the database's own words, and what to change. */
    public String message(String operation, SQLException e) {
        return messages.of(operation, e, kind(e));
    }

    /** For a row that was skipped, or left out after others took all of the time. */
    public DedupStoreException locked(String operation, @Nullable SQLException cause) {
        return new DedupStoreException(
                operation + " on table " + settings.table() + " was held up: " + messages.lockedHint(), cause);
    }

    /** For a key that was somebody else's each time that it was asked for. */
    public DedupStoreException raced(String operation, int rounds, @Nullable SQLException cause) {
        return new DedupStoreException(
                operation + " on table " + settings.table() + " found the row changed by others " + rounds
                        + " times in a row"
                        + (cause == null ? "" : " (last: SQLState " + cause.getSQLState() + ")"),
                cause);
    }
}
