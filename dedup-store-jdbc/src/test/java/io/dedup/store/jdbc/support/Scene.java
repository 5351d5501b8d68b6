package io.dedup.store.jdbc.support;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.jdbc.JdbcDedupStoreBuilder;
import io.dedup.store.jdbc.JdbcDialect;
import io.dedup.store.jdbc.JdbcTransactions;
import java.util.function.UnaryOperator;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/** A database with a business table, a store and its transactions, on one pool. */
public final class Scene implements AutoCloseable {
    public final TestDatabase database;
    public final HikariDataSource pool;
    public final JdbcDedupStore store;
    public final DataSourceTransactionManager manager;
    public final JdbcTransactions transactions;
    public final JdbcTemplate business;
    public final Messages messages = new Messages();

    public Scene(JdbcDialect dialect) {
        this(dialect, builder -> builder);
    }

    public Scene(JdbcDialect dialect, UnaryOperator<JdbcDedupStoreBuilder> settings) {
        database = TestDatabase.open(dialect);
        pool = database.pool(config -> {
            if (database.isH2()) {
                config.setConnectionInitSql("SET LOCK_TIMEOUT 200");
            }
        });
        store = database.closing(settings.apply(database.builder(pool)).build());
        manager = new DataSourceTransactionManager(pool);
        transactions = store.transactions(manager);
        business = new JdbcTemplate(pool);
        database.execute("CREATE TABLE effect (id varchar(100) NOT NULL)");
    }

    public Session session() {
        return new Session(transactions);
    }

    /** To be called within a transaction. */
    public void effect(String id) {
        business.update("INSERT INTO effect VALUES (?)", id);
    }

    public long effects() {
        return database.count("SELECT count(*) FROM effect");
    }

    public long records() {
        return database.count("SELECT count(*) FROM dedup_record");
    }

    @Override
    public void close() {
        database.close();
    }
}
