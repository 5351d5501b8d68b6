package io.dedup.benchmarks.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.benchmarks.network.Network;
import io.dedup.benchmarks.subject.ByHandHandling;
import io.dedup.benchmarks.subject.ContenderNames;
import io.dedup.benchmarks.subject.DedupHandling;
import io.dedup.benchmarks.subject.HandlingStore;
import io.dedup.benchmarks.subject.MessageHandling;
import io.dedup.policy.DedupMode;
import io.dedup.store.jdbc.JdbcDedupStore;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The ways to handle messages with a database: a lease or a transaction, by dedup or by hand. */
public final class DatabaseHandling implements HandlingStore {
    /** A row with a unique key in the business transaction. */
    public static final String ROW_BY_HAND = ContenderNames.BY_HAND + ", a row in the transaction";

    private static final String TABLE =
            "CREATE TABLE IF NOT EXISTS seen (id varchar(40) PRIMARY KEY, at timestamp NOT NULL)";

    private final Map<String, MessageHandling> ways = new LinkedHashMap<>();
    private final Map<DedupMode, DedupHandling> deduplicators = new LinkedHashMap<>();
    private final String name;
    private final Runnable stop;

    private DatabaseHandling(String name, HikariDataSource pool, JdbcDedupStore store, Runnable stop) {
        this.name = name;
        this.stop = stop;
        JdbcTransactionManager manager = new JdbcTransactionManager(pool);
        for (DedupMode mode : List.of(DedupMode.LEASED, DedupMode.TRANSACTIONAL, DedupMode.LEASED_TRANSACTIONAL)) {
            DedupHandling handling = DedupHandling.of(
                    store,
                    mode,
                    settings ->
                            mode == DedupMode.LEASED ? settings : settings.transactions(store.transactions(manager)));
            deduplicators.put(mode, handling);
            ways.put(DedupHandling.name(mode), handling);
        }
        if (name.startsWith("PostgreSQL")) {
            ways.put(ByHandHandling.NAME, new ByHandHandling(new ByHandTable(pool)));
        }
        if (!name.startsWith("H2")) {
            ways.put(ROW_BY_HAND, row(pool, new TransactionTemplate(manager), name));
        }
    }

    private static MessageHandling row(HikariDataSource pool, TransactionTemplate transactions, String name) {
        JdbcTemplate jdbc = new JdbcTemplate(pool);
        jdbc.execute(TABLE);
        // MariaDB's driver counts a row that an ON DUPLICATE KEY UPDATE leaves as it is, so that a duplicate would look
        // new.
        boolean ignores = name.startsWith("MariaDB");
        String insert = "INSERT " + (ignores ? "IGNORE " : "") + "INTO seen (id, at) VALUES (?, CURRENT_TIMESTAMP)"
                + (ignores ? "" : " ON CONFLICT DO NOTHING");
        return id -> Boolean.TRUE.equals(transactions.execute(status -> jdbc.update(insert, id) == 1));
    }

    static DatabaseHandling of(String name, DatabaseUnderTest database) {
        return new DatabaseHandling(name, database.pool(), database.store(), database::close);
    }

    /** On a server of its own, which ends with it. */
    public static DatabaseHandling mariadb(Network network) {
        DatabaseUnderTest database = DatabaseUnderTest.mariadb(network);
        return of(network.plain(database.name()), database);
    }

    /** In this process. */
    public static DatabaseHandling h2() {
        DatabaseUnderTest database = DatabaseUnderTest.h2();
        return of(database.name(), database);
    }

    /**
     * On a database of the caller's.
     *
     * @param name begins with the product's
     * @param pool is closed with this
     */
    public static DatabaseHandling on(String name, HikariDataSource pool) {
        JdbcDedupStore store = DatabaseUnderTest.storeOn(pool);
        return new DatabaseHandling(name, pool, store, () -> {
            store.close();
            pool.close();
        });
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Map<String, MessageHandling> ways() {
        return ways;
    }

    @Override
    public void close() {
        deduplicators.values().forEach(DedupHandling::close);
        stop.run();
    }
}
