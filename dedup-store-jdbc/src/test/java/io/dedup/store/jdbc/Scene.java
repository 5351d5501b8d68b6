package io.dedup.store.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import java.util.function.UnaryOperator;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/** A database with a business table, a store and its transactions, on one pool. */
final class Scene implements AutoCloseable {
    final TestDatabase database;
    final HikariDataSource pool;
    final JdbcDedupStore store;
    final DataSourceTransactionManager manager;
    final JdbcTransactions transactions;
    final JdbcTemplate business;
    final Messages messages = new Messages();

    Scene(JdbcDialect dialect) {
        this(dialect, builder -> builder);
    }

    Scene(JdbcDialect dialect, UnaryOperator<JdbcDedupStoreBuilder> settings) {
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

    Session session() {
        return new Session(transactions);
    }

    /** To be called within a transaction. */
    void effect(String id) {
        business.update("INSERT INTO effect VALUES (?)", id);
    }

    long effects() {
        return database.count("SELECT count(*) FROM effect");
    }

    long records() {
        return database.count("SELECT count(*) FROM dedup_record");
    }

    @Override
    public void close() {
        database.close();
    }
}
