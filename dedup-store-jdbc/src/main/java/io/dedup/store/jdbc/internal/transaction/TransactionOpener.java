package io.dedup.store.jdbc.internal.transaction;

import io.dedup.DedupStoreException;
import io.dedup.store.jdbc.internal.connection.SilenceLimit;
import io.dedup.store.jdbc.internal.failure.SqlCauses;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Opens transactions with Spring's transaction manager, and rejects an unsuitable manager. Thread-safe. */
public final class TransactionOpener {
    private final PlatformTransactionManager manager;
    private final RecordTable table;
    private final OtherConnections others;
    private final UnwrittenEntities entities;
    private final SilenceLimit silence;
    private final int isolation;
    private final boolean suspension;

    private TransactionOpener(
            PlatformTransactionManager manager,
            RecordTable table,
            OtherConnections others,
            UnwrittenEntities entities,
            SilenceLimit silence,
            int isolation,
            boolean suspension) {
        this.manager = manager;
        this.table = table;
        this.others = others;
        this.entities = entities;
        this.silence = silence;
        this.isolation = isolation;
        this.suspension = suspension;
    }

    /** Creates an opener that uses the isolation level of the connections. */
    static TransactionOpener of(PlatformTransactionManager manager, RecordTable table) {
        OtherConnections others = new OtherConnections(table.dataSource(), table.name());
        return new TransactionOpener(
                manager,
                table,
                others,
                new UnwrittenEntities(),
                new SilenceLimit(),
                TransactionDefinition.ISOLATION_DEFAULT,
                false);
    }

    /** Returns a copy that requests an isolation level. */
    TransactionOpener at(int isolationLevel) {
        return new TransactionOpener(manager, table, others, entities, silence, isolationLevel, suspension);
    }

    /** Returns a copy that lets handlers suspend a transaction, or not. */
    public TransactionOpener allowSuspension(boolean allowed) {
        return new TransactionOpener(manager, table, others, entities, silence, isolation, allowed);
    }

    public PlatformTransactionManager manager() {
        return manager;
    }

    public boolean allowsSuspension() {
        return suspension;
    }

    /**
     * Opens a transaction. If the database can limit its duration with the statement that claims, nothing else limits
     * it.
     */
    public JdbcTransaction openForRecords(Duration timeout) {
        return open(timeout, table.dialect().limitsTransactions());
    }

    /** Opens a transaction that may write no record; the transaction manager limits its duration. */
    public JdbcTransaction open(Duration timeout) {
        return open(timeout, false);
    }

    /**
     * Opens a transaction.
     *
     * @param limited whether the statement that claims limits its duration
     */
    private JdbcTransaction open(Duration timeout, boolean limited) {
        if (timeout.isZero() || timeout.isNegative()) {
            throw new IllegalArgumentException("timeout must be positive, but is " + timeout);
        }
        if (TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new IllegalStateException(
                    "The thread is already in a transaction, but the record must be written in a transaction opened for"
                            + " the handler alone. Remove the transaction manager from the listener container, or the"
                            + " transaction around the call");
        }
        DefaultTransactionDefinition definition =
                new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRED);
        definition.setName("dedup");
        definition.setIsolationLevel(isolation);
        if (!limited) {
            definition.setTimeout(seconds(timeout));
        }
        TransactionStatus status;
        try {
            status = manager.getTransaction(definition);
        } catch (TransactionException e) {
            throw new DedupStoreException("Cannot open a transaction for table " + table.name() + cause(e), e);
        }
        return opened(status, atMost(timeout));
    }

    private String cause(TransactionException e) {
        List<SQLException> causes = SqlCauses.sqlOf(e);
        return causes.isEmpty() ? "" : ": " + table.failures().message("begin", causes.get(0));
    }

    private JdbcTransaction opened(TransactionStatus status, Duration longest) {
        TransactionConnection connection = TransactionConnection.find(table.dataSource());
        OpenTransaction transaction = new OpenTransaction(manager, status, connection);
        if (connection == null) {
            transaction.rollBack();
            throw new IllegalStateException("The transaction manager uses another DataSource than table " + table.name()
                    + ": a record would not commit and roll back with the handler's work. Use a transaction manager of"
                    + " the table's DataSource");
        }
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            transaction.rollBack();
            throw new IllegalStateException(
                    "The transaction manager does not support synchronizations. Set its transactionSynchronization to ALWAYS");
        }
        if (!(status instanceof DefaultTransactionStatus own) || !own.isNewSynchronization()) {
            transaction.rollBack();
            throw new IllegalStateException(
                    "The transaction manager (" + manager.getClass().getName()
                            + ") opens several transactions or hides its own, so it is unknown which of them committed. Use"
                            + " the transaction manager of the DataSource that contains table " + table.name());
        }
        try {
            int before = connection.limitSilence(silence, JdbcSettings.networkTimeoutMillis(longest));
            TransactionWatch watch = TransactionWatch.register(connection, entities, suspension, before);
            WrittenRecords written = new WrittenRecords(longest);
            return new JdbcTransaction(
                    table,
                    written,
                    new TransactionCalls(connection, status, table, written),
                    transaction,
                    new TransactionCommit(transaction, watch, table.failures().errors()),
                    others);
        } catch (RuntimeException | Error e) {
            transaction.rollBack();
            throw e;
        }
    }

    /** Limits a duration to what fits into nanoseconds. */
    private static Duration atMost(Duration timeout) {
        Duration most = Duration.ofNanos(Long.MAX_VALUE);
        return timeout.compareTo(most) > 0 ? most : timeout;
    }

    private static int seconds(Duration timeout) {
        return timeout.compareTo(Duration.ofSeconds(Integer.MAX_VALUE)) >= 0
                ? Integer.MAX_VALUE
                : JdbcSettings.wholeSeconds(timeout);
    }
}
