package io.dedup.store.jdbc.support;

import static io.dedup.store.jdbc.support.TestDatabase.patient;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.store.DedupStore;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.jdbc.JdbcDialect;
import io.dedup.store.jdbc.JdbcKeyFormat;
import io.dedup.testkit.fixture.StoreFixture;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/**
 * Two clients of one table, each with a pool of its own. Time is moved by making the records older.
 *
 * <p>They wait for locks: a machine that stands still for a second in the middle of a race isn't what the contract is about.
 *
 * <p>Databases and pools are kept for the next test: making them would take longer than most tests.
 */
public final class JdbcFixture implements StoreFixture {
    private static final Map<Form, Kept> KEPT = new ConcurrentHashMap<>();

    /** A table that the tests share. */
    private record Form(JdbcDialect dialect, JdbcKeyFormat keys) {}

    private final Kept kept;
    private final boolean listing;
    private final JdbcDedupStore store;
    private final JdbcDedupStore second;
    private final DedupStore tested;
    private final DedupStore secondTested;

    public JdbcFixture(JdbcDialect dialect) {
        this(dialect, JdbcKeyFormat.PLAIN);
    }

    public JdbcFixture(JdbcDialect dialect, JdbcKeyFormat keys) {
        this(dialect, keys, store -> store);
    }

    /** @param around what the stores are tested through */
    public JdbcFixture(JdbcDialect dialect, JdbcKeyFormat keys, UnaryOperator<DedupStore> around) {
        this.kept = KEPT.computeIfAbsent(new Form(dialect, keys), form -> new Kept(form.dialect()));
        this.listing = keys == JdbcKeyFormat.PLAIN;
        this.store = patient(kept.database.builder(kept.first)).keyFormat(keys).build();
        this.second =
                patient(kept.database.builder(kept.second)).keyFormat(keys).build();
        this.tested = around.apply(store);
        this.secondTested = around.apply(second);
        kept.database.execute("DELETE FROM dedup_record");
    }

    private static final class Kept {
        final TestDatabase database;
        final HikariDataSource first;
        final HikariDataSource second;

        Kept(JdbcDialect dialect) {
            database = TestDatabase.open(dialect);
            first = database.patientPool();
            second = database.patientPool();
        }
    }

    @Override
    public DedupStore store() {
        return tested;
    }

    @Override
    public DedupStore secondInstance() {
        return secondTested;
    }

    @Override
    public boolean listsStuck() {
        return listing;
    }

    @Override
    public boolean keepsSteps() {
        return true;
    }

    @Override
    public boolean erases() {
        return listing;
    }

    @Override
    public void advance(Duration by) {
        kept.database.age(by);
    }

    @Override
    public void purge() {
        store.purgeExpired(Integer.MAX_VALUE);
    }

    @Override
    public void close() {
        store.close();
        second.close();
    }
}
