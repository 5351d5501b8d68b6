package io.dedup.store.jdbc;

import io.dedup.DedupKey;
import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.privacy.Erasure;
import io.dedup.store.DedupStore;
import io.dedup.store.jdbc.internal.transaction.CheckedTransactions;
import io.dedup.store.jdbc.internal.transaction.HandlerCheck;
import io.dedup.store.jdbc.internal.transaction.JdbcTransaction;
import io.dedup.store.jdbc.internal.transaction.RecordTable;
import io.dedup.store.jdbc.internal.transaction.TransactionOpener;
import io.dedup.store.operator.ImportRequest;
import io.dedup.store.operator.ImportResult;
import io.dedup.store.operator.ImportingStore;
import io.dedup.store.operator.RecordEraser;
import io.dedup.store.transaction.HandlerInspector;
import io.dedup.store.transaction.HandlerMethod;
import io.dedup.store.transaction.RecordTransaction;
import io.dedup.store.transaction.TransactionalRecords;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionManager;

/**
 * Opens Spring transactions, which a handler's {@code @Transactional}, {@code JdbcTemplate} or JPA repository joins,
 * and keeps the records of a {@link JdbcDedupStore} in them. Created by {@link JdbcDedupStore#transactions}.
 * Thread-safe.
 *
 * <p>Within such a transaction, everything that would suspend it is rejected: {@code REQUIRES_NEW},
 * {@code NOT_SUPPORTED} and other transaction managers. Their work would not be rolled back with the record.
 */
public final class JdbcTransactions implements TransactionalRecords, HandlerInspector, ImportingStore, RecordEraser {
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
     * Sets whether handlers may suspend the transaction; not allowed by default. Work done while it is suspended does
     * not roll back with the record, can happen twice, and needs a second connection of the pool while the first is
     * held.
     *
     * @return a copy with this setting
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

    /** {@inheritDoc} On the store's own connections, in autocommit mode. */
    @Override
    public List<ImportResult> importDone(List<ImportRequest> requests) {
        return store.importDone(requests);
    }

    @Override
    public Erasure erase(String storedId, LiveLease liveLease) {
        return store.erase(storedId, liveLease);
    }

    /**
     * Sets how to find transaction managers, so that handlers can be rejected at start if their {@code @Transactional}
     * uses, by name or by default, a transaction manager of another {@code DataSource}, or one that doesn't join the
     * transactions of this one's manager. Has no effect with {@link #allowSuspension}.
     *
     * @param byName finds a transaction manager by its name, and the default one by the empty name; returns null if
     *     unknown: {@code name -> BeanFactoryAnnotationUtils.qualifiedBeanOfType(...)}
     * @return a copy with this setting
     */
    public JdbcTransactions managers(Function<String, @Nullable TransactionManager> byName) {
        return new JdbcTransactions(store, table, opener, concurrentRecords, byName);
    }

    @Override
    public @Nullable String outside(Object handler, HandlerMethod method) {
        return new HandlerCheck(
                        table.dataSource(), opener.manager(), opener.allowsSuspension() ? name -> null : managers)
                .problem(handler, method);
    }

    @Override
    public long concurrentRecords() {
        return concurrentRecords;
    }

    /** {@inheritDoc} The same limit as that of the store. */
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

    /**
     * {@inheritDoc} If the database can limit the transaction with the statement that claims, nothing else limits it.
     */
    @Override
    public RecordTransaction beginWithRecords(Duration timeout) {
        return opener.openForRecords(timeout);
    }
}
