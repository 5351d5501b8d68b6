package io.dedup.store.jdbc;

import io.dedup.store.DedupStore;
import io.dedup.testkit.StoreFixture;
import java.time.Duration;

/** Two clients of one table, each with a pool of its own. Time is moved by making the records older. */
final class JdbcFixture implements StoreFixture {
    private final TestDatabase database;
    private final JdbcDedupStore store;
    private final JdbcDedupStore second;

    JdbcFixture(TestDatabase database) {
        this.database = database;
        this.store = database.store();
        this.second = database.store();
    }

    @Override
    public DedupStore store() {
        return store;
    }

    @Override
    public DedupStore secondInstance() {
        return second;
    }

    @Override
    public void advance(Duration by) {
        database.age(by);
    }

    @Override
    public void purge() {
        store.purgeExpired(Integer.MAX_VALUE);
    }

    @Override
    public void close() {
        database.close();
    }
}
