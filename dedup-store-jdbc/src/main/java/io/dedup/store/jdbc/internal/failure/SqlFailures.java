package io.dedup.store.jdbc.internal.failure;

import io.dedup.DedupStoreException;
import io.dedup.store.RecordInUseException;
import io.dedup.store.ResultTooLargeException;
import io.dedup.store.jdbc.internal.sql.Database;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Creates the exceptions with which the store reports failures. */
public final class SqlFailures {
    private final JdbcSettings settings;
    private final SqlErrors errors;
    private final FailureMessages messages;

    public SqlFailures(JdbcSettings settings, Database database) {
        this.settings = settings;
        this.errors = new SqlErrors(database);
        this.messages = new FailureMessages(settings, database);
    }

    /** Classifies the exceptions of this store's database. */
    public SqlErrors errors() {
        return errors;
    }

    public DedupStoreException failed(String operation, SQLException e) {
        return errors.kind(e) == FailureKind.LOCKED
                ? new RecordInUseException(message(operation, e), e)
                : new DedupStoreException(message(operation, e), e);
    }

    /** For a result that wasn't sent. */
    public ResultTooLargeException resultTooLarge(String operation, int bytes, int most) {
        return new ResultTooLargeException(
                operation + " on table " + settings.table() + ": the result has " + bytes
                        + " bytes, but the database takes at most " + most
                        + ". The result is not stored for duplicates. Raise max_allowed_packet to more than twice that"
                        + " size, or lower maxResultBytes",
                null);
    }

    /** The database's own message, and what to change. */
    public String message(String operation, SQLException e) {
        return messages.of(operation, e, errors.kind(e));
    }

    /** For a locked row that was skipped, or for rows that were not tried because locked ones took all the time. */
    public DedupStoreException locked(String operation, @Nullable SQLException cause) {
        return new RecordInUseException(
                operation + " on table " + settings.table() + " failed: " + messages.lockedHint(), cause);
    }

    /** For a row that other sessions changed at every attempt. */
    public DedupStoreException raced(String operation, int rounds, @Nullable SQLException cause) {
        return new RecordInUseException(
                operation + " on table " + settings.table() + " failed: other sessions changed the row " + rounds
                        + " times in a row"
                        + (cause == null ? "" : " (last: SQLState " + cause.getSQLState() + ")"),
                cause);
    }
}
