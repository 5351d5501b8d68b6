package io.dedup.store.jdbc;

import io.dedup.doubles.SharingStore;
import io.dedup.store.jdbc.support.JdbcFixture;
import io.dedup.testkit.DedupStoreContract;
import io.dedup.testkit.fixture.StoreFixture;
import org.junit.jupiter.api.Order;

/** PostgreSQL behind calls that threads share. */
@Order(1) // takes long
class SharedCallsContractTest extends DedupStoreContract {
    @Override
    protected StoreFixture newFixture() {
        return new JdbcFixture(JdbcDialect.POSTGRESQL, JdbcKeyFormat.PLAIN, SharingStore::of);
    }
}
