package io.dedup.store.jdbc;

import io.dedup.DedupKey;
import io.dedup.store.DedupStore;
import io.dedup.store.DedupStoreException;
import io.dedup.store.OperatorResult;
import io.dedup.store.RecordTransaction;
import io.dedup.store.TransactionalRecords;
import io.dedup.store.jdbc.internal.dialect.RecordDialect;
import io.dedup.store.jdbc.internal.dialect.WriteProbe;
import io.dedup.store.jdbc.internal.failure.Causes;
import io.dedup.store.jdbc.internal.failure.SqlFailures;
import io.dedup.store.jdbc.internal.operation.StatementSize;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.store.jdbc.internal.transaction.HandlerCheck;
import io.dedup.store.jdbc.internal.transaction.JdbcTransaction;
import io.dedup.store.jdbc.internal.transaction.OtherConnections;
import io.dedup.store.jdbc.internal.transaction.TransactionConnection;
import io.dedup.store.jdbc.internal.transaction.TransactionEnd;
import io.dedup.store.jdbc.internal.transaction.TransactionWatch;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Opens transactions by Spring, which a handler's {@code @Transactional}, {@code JdbcTemplate} or JPA repository joins, and
 * keeps the records of a {@link JdbcDedupStore} in them. Made by {@link JdbcDedupStore#transactions}. Thread-safe.
 *
 * <p>Within such a transaction, whatever would suspend it is refused: {@code REQUIRES_NEW}, {@code NOT_SUPPORTED} and other
 * transaction managers. Their work wouldn't be undone with the record.
 */
public final class JdbcTransactions implements TransactionalRecords {
    private final JdbcDedupStore store;
    private final PlatformTransactionManager manager;
    private final DataSource dataSource;
    private final JdbcSettings settings;
    private final RecordDialect dialect;
    private final WriteProbe probe;
    private final StatementSize statementSize;
    private final SqlFailures failures;
    private final OtherConnections others;
    private final long concurrentRecords;
    private final int isolation;
    private final boolean suspension;
    private final Function<String, @Nullable TransactionManager> managers;

    private JdbcTransactions(
            JdbcDedupStore store,
            PlatformTransactionManager manager,
            DataSource dataSource,
            JdbcSettings settings,
            RecordDialect dialect,
            WriteProbe probe,
            StatementSize statementSize,
            SqlFailures failures,
            OtherConnections others,
            long concurrentRecords,
            int isolation,
            boolean suspension,
            Function<String, @Nullable TransactionManager> managers) {
        this.store = store;
        this.manager = manager;
        this.dataSource = dataSource;
        this.settings = settings;
        this.dialect = dialect;
        this.probe = probe;
        this.statementSize = statementSize;
        this.failures = failures;
        this.others = others;
        this.concurrentRecords = concurrentRecords;
        this.isolation = isolation;
        this.suspension = suspension;
        this.managers = managers;
    }

    static JdbcTransactions of(
            JdbcDedupStore store,
            PlatformTransactionManager manager,
            DataSource dataSource,
            JdbcSettings settings,
            RecordDialect dialect,
            WriteProbe probe,
            StatementSize statementSize,
            SqlFailures failures) {
        JdbcTransactions asTheyCome = new JdbcTransactions(
                store,
                manager,
                dataSource,
                settings,
                dialect,
                probe,
                statementSize,
                failures,
                new OtherConnections(dataSource, settings.table()),
                Long.MAX_VALUE,
                TransactionDefinition.ISOLATION_DEFAULT,
                false,
                name -> null);
        Found found = asTheyCome.look();
        boolean fits = dialect.needsReadCommitted()
                ? found.isolation() == Connection.TRANSACTION_READ_COMMITTED
                : found.isolation() != Connection.TRANSACTION_READ_UNCOMMITTED;
        if (fits) {
            // To ask for it once more would cost round trips.
            return asTheyCome.with(
                    found.concurrentRecords(), TransactionDefinition.ISOLATION_DEFAULT, false, asTheyCome.managers);
        }
        JdbcTransactions set = asTheyCome.with(
                found.concurrentRecords(), TransactionDefinition.ISOLATION_READ_COMMITTED, false, asTheyCome.managers);
        int isolation = set.look().isolation();
        if (isolation != Connection.TRANSACTION_READ_COMMITTED) {
            throw new IllegalStateException(
                    "transactions must run at READ COMMITTED, but run at JDBC's level " + isolation
                            + " even though the transaction manager was asked for it; make READ COMMITTED the default of the"
                            + " pool's connections (HikariCP: transactionIsolation)");
        }
        return set;
    }

    private JdbcTransactions with(
            long concurrentRecords,
            int isolation,
            boolean suspension,
            Function<String, @Nullable TransactionManager> managers) {
        return new JdbcTransactions(
                store,
                manager,
                dataSource,
                settings,
                dialect,
                probe,
                statementSize,
                failures,
                others,
                concurrentRecords,
                isolation,
                suspension,
                managers);
    }

    /**
     * Whether handlers may suspend the transaction; by default they may not. What they do meanwhile is neither undone nor
     * done once with the record, and needs a second connection of the pool while the first is held.
     *
     * @return the same but for this
     */
    public JdbcTransactions allowSuspension(boolean allowed) {
        return with(concurrentRecords, isolation, allowed, managers);
    }

    @Override
    public String name() {
        return "jdbc";
    }

    @Override
    public boolean holdsClaimsOf(DedupStore other) {
        return other instanceof JdbcDedupStore jdbc && store.isOfSameTable(jdbc);
    }

    @Override
    public OperatorResult forget(DedupKey key, boolean evenIfLeaseLive) {
        return store.forget(key, evenIfLeaseLive);
    }

    /**
     * Has handlers refused at start whose {@code @Transactional} names a transaction manager of another {@code DataSource},
     * or gets such a one by default. Not needed where {@link #allowSuspension} is.
     *
     * @param byName finds a manager by its name, and by the empty name the one of those that name none; null where it isn't
     *     known: {@code name -> BeanFactoryAnnotationUtils.qualifiedBeanOfType(...)}
     * @return the same but for this
     */
    public JdbcTransactions managers(Function<String, @Nullable TransactionManager> byName) {
        return with(concurrentRecords, isolation, suspension, byName);
    }

    @Override
    public @Nullable String outside(Object handler, Method method) {
        return new HandlerCheck(dataSource, suspension ? name -> null : managers).problem(handler, method);
    }

    @Override
    public long concurrentRecords() {
        return concurrentRecords;
    }

    /** {@inheritDoc} The same as the store's. */
    @Override
    public int maxResultBytes() {
        return statementSize.maxResult();
    }

    /** {@inheritDoc} Inserts a row, updates and deletes it, and rolls back. */
    @Override
    public void ping(Duration timeout) {
        JdbcTransaction transaction = open(timeout, false);
        try {
            transaction.with("ping", connection -> {
                probe.run(connection);
                return this;
            });
        } finally {
            transaction.rollback();
        }
    }

    @Override
    public RecordTransaction begin(Duration timeout) {
        JdbcTransaction transaction = open(timeout, false);
        try {
            transaction.mark();
        } catch (RuntimeException | Error e) {
            transaction.rollback();
            throw e;
        }
        return transaction;
    }

    /** Where the database can bound the transaction by the statement that claims, nothing else does. */
    @Override
    public RecordTransaction beginWithRecords(Duration timeout) {
        return open(timeout, dialect.limitsTransactions());
    }

    /** @param limited whether what claims bounds the transaction */
    private JdbcTransaction open(Duration timeout, boolean limited) {
        if (timeout.isZero() || timeout.isNegative()) {
            throw new IllegalArgumentException("timeout must be positive, but is " + timeout);
        }
        if (TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new IllegalStateException(
                    "the thread has a transaction already: the record has to be written in one that is opened around the"
                            + " handler and nothing else; take the transaction manager out of the listener's container, or"
                            + " the transaction from around the call");
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
            throw new DedupStoreException(
                    "a transaction for table " + settings.table() + " couldn't be opened" + cause(e), e);
        }
        return opened(status, atMost(timeout));
    }

    private String cause(TransactionException e) {
        List<SQLException> causes = Causes.sqlOf(e);
        return causes.isEmpty() ? "" : ": " + failures.message("begin", causes.get(0));
    }

    private JdbcTransaction opened(TransactionStatus status, Duration longest) {
        TransactionConnection connection = TransactionConnection.find(dataSource);
        if (connection == null) {
            TransactionEnd.rollBack(manager, status, null);
            throw new IllegalStateException("the transaction manager isn't one of the DataSource that table "
                    + settings.table()
                    + " is in: a record would not commit and roll back with the handler's work; give it"
                    + " that DataSource");
        }
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            TransactionEnd.rollBack(manager, status, connection);
            throw new IllegalStateException(
                    "the transaction manager doesn't synchronize; set its transactionSynchronization to ALWAYS");
        }
        if (!(status instanceof DefaultTransactionStatus own) || !own.isNewSynchronization()) {
            TransactionEnd.rollBack(manager, status, connection);
            throw new IllegalStateException(
                    "the transaction manager (" + manager.getClass().getName()
                            + ") opens several transactions, or hides its own: which of them has committed couldn't be told. Use the"
                            + " one of the DataSource that table " + settings.table() + " is in");
        }
        try {
            TransactionWatch watch = TransactionWatch.register(connection, suspension);
            return new JdbcTransaction(
                    manager, status, connection, watch, settings, dialect, statementSize, failures, others, longest);
        } catch (RuntimeException | Error e) {
            TransactionEnd.rollBack(manager, status, connection);
            throw e;
        }
    }

    /** What can be counted in nanoseconds. */
    private static Duration atMost(Duration timeout) {
        Duration most = Duration.ofNanos(Long.MAX_VALUE);
        return timeout.compareTo(most) > 0 ? most : timeout;
    }

    private static int seconds(Duration timeout) {
        return timeout.compareTo(Duration.ofSeconds(Integer.MAX_VALUE)) >= 0
                ? Integer.MAX_VALUE
                : JdbcSettings.wholeSeconds(timeout);
    }

    /** What a transaction and its server are like. */
    private record Found(int isolation, long concurrentRecords) {}

    private Found look() {
        JdbcTransaction transaction = open(settings.queryTimeout(), false);
        try {
            return transaction.with("start", connection -> {
                long records = dialect.checkServer(connection); // first: a lazy connection must be there to be asked
                return new Found(connection.getTransactionIsolation(), records);
            });
        } finally {
            transaction.rollback();
        }
    }
}
