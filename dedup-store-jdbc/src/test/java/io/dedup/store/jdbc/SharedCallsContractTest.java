package io.dedup.store.jdbc;

import io.dedup.doubles.SharingStore;
import io.dedup.store.jdbc.support.JdbcFixture;
import io.dedup.testkit.DedupStoreContract;
import io.dedup.testkit.fixture.StoreFixture;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** PostgreSQL behind calls that threads share; in each build {@code dedup-testkit} runs it on the store in memory. */
@EnabledIfSystemProperty(
        named = "dedup.test.contracts",
        matches = "all",
        disabledReason = "takes a minute: -Ddedup.test.contracts=all runs it")
class SharedCallsContractTest extends DedupStoreContract {
    @Override
    protected StoreFixture newFixture() {
        return new JdbcFixture(JdbcDialect.POSTGRESQL, JdbcKeyFormat.PLAIN, SharingStore::of);
    }
}
