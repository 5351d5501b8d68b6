package io.dedup.store.jdbc.internal.mysql;

import io.dedup.store.jdbc.internal.dialect.RecordDialect.WrittenRecord;
import io.dedup.store.jdbc.internal.dialect.UndoneTransaction;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Commits a transaction on MariaDB if it is still the one that has written a record, in one round trip. The driver knows from the
 * answer that no transaction is open, so the transaction manager's commit, which follows, takes none. Thread-safe.
 */
final class MariaDbCommit {
    private static final int SIGNAL = 1644;
    private static final int SYNTAX = 1064;

    private final JdbcSettings settings;
    private final String statement;

    /** Whether what is between the driver and the server takes the statement. */
    private volatile boolean taken = true;

    MariaDbCommit(JdbcSettings settings) {
        this.settings = settings;
        this.statement = settings.table().in("""
                BEGIN NOT ATOMIC
                IF EXISTS (SELECT 1 FROM {table} WHERE message_id = {message_id} AND scope = {scope} AND token = {token})
                THEN COMMIT; ELSE SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no record'; END IF;
                END""");
    }

    /**
     * Commits.
     *
     * @param sending called before
     * @return false if nothing was done
     * @throws SQLException also if the transaction was rolled back before, see {@link UndoneTransaction}
     */
    boolean run(Connection connection, WrittenRecord written, Runnable sending) throws SQLException {
        if (!taken) {
            return false;
        }
        String text = statement
                .replace("{message_id}", SqlLiterals.of(settings.keys().messageId(written.key())))
                .replace("{scope}", SqlLiterals.of(settings.keys().scope(written.key())))
                .replace("{token}", SqlLiterals.of(written.token()));
        sending.run();
        try (Statement open = connection.createStatement()) {
            open.execute(text);
            return true;
        } catch (SQLException e) {
            if (e.getErrorCode() == SIGNAL) {
                throw UndoneTransaction.failure();
            }
            if (e.getErrorCode() == SYNTAX) {
                taken = false;
                return false;
            }
            throw e;
        }
    }
}
