package io.dedup.store.jdbc;

import io.dedup.DedupKey;
import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.store.DedupStore;
import io.dedup.store.jdbc.internal.transaction.CheckedTransactions;
import io.dedup.store.jdbc.internal.transaction.HandlerCheck;
import io.dedup.store.jdbc.internal.transaction.JdbcTransaction;
import io.dedup.store.jdbc.internal.transaction.RecordTable;
import io.dedup.store.jdbc.internal.transaction.TransactionOpener;
import io.dedup.store.transaction.HandlerInspector;
import io.dedup.store.transaction.HandlerMethod;
import io.dedup.store.transaction.RecordTransaction;
import io.dedup.store.transaction.TransactionalRecords;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionManager;

/**
 * Opens transactions by Spring, which a handler's {@code @Transactional}, {@code JdbcTemplate} or JPA repository joins, and
 * keeps the records of a {@link JdbcDedupStore} in them. Made by {@link JdbcDedupStore#transactions}. Thread-safe.
 *
 * <p>Within such a transaction, whatever would suspend it is refused: {@code REQUIRES_NEW}, {@code NOT_SUPPORTED} and other
 * transaction managers. Their work wouldn't be undone with the record.
 */
public final class JdbcTransactions implements TransactionalRecords, HandlerInspector {
    private final JdbcDedupStore store;
    private final RecordTable table;
    private final TransactionOpener opener;
    private final long concurrentRecords;
    private final Function<String, @Nullable TransactionManager> managers;

    private JdbcTransactions(
            JdbcDedupStore store,
            RecordTable table,
            TransactionOpener opener,
            long concurrentRecords,
            Function<String, @Nullable TransactionManager> managers) {
        this.store = store;
        this.table = table;
        this.opener = opener;
        this.concurrentRecords = concurrentRecords;
        this.managers = managers;
    }

    static JdbcTransactions of(JdbcDedupStore store, PlatformTransactionManager manager, RecordTable table) {
        CheckedTransactions checked = CheckedTransactions.of(manager, table);
        return new JdbcTransactions(store, table, checked.opener(), checked.concurrentRecords(), name -> null);
    }

    /**
     * Whether handlers may suspend the transaction; by default they may not. What they do meanwhile is neither undone nor
     * done once with the record, and needs a second connection of the pool while the first is held.
     *
     * @return the same but for this
     */
    public JdbcTransactions allowSuspension(boolean allowed) {
        return new JdbcTransactions(store, table, opener.allowSuspension(allowed), concurrentRecords, managers);
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
    public OperatorResult forget(DedupKey key, LiveLease liveLease) {
        return store.forget(key, liveLease);
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
        return new JdbcTransactions(store, table, opener, concurrentRecords, byName);
    }

    @Override
    public @Nullable String outside(Object handler, HandlerMethod method) {
        return new HandlerCheck(table.dataSource(), opener.allowsSuspension() ? name -> null : managers)
                .problem(handler, method);
    }

    @Override
    public long concurrentRecords() {
        return concurrentRecords;
    }

    /** {@inheritDoc} The same as the store's. */
    @Override
    public int maxResultBytes() {
        return table.statementSize().maxResult();
    }

    /** {@inheritDoc} Inserts a row, updates and deletes it, and rolls back. */
    @Override
    public void ping(Duration timeout) {
        JdbcTransaction transaction = opener.open(timeout);
        try {
            transaction.probe();
        } finally {
            transaction.rollback();
        }
    }

    @Override
    public RecordTransaction begin(Duration timeout) {
        JdbcTransaction transaction = opener.open(timeout);
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
        return opener.openForRecords(timeout);
    }
}
