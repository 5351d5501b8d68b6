package io.dedup.store.jdbc;

import io.dedup.store.jdbc.support.JdbcFixture;
import io.dedup.testkit.DedupStoreContract;
import io.dedup.testkit.fixture.StoreFixture;
import org.junit.jupiter.api.Order;

@Order(1) // takes long
class MySqlStoreContractTest extends DedupStoreContract {
    @Override
    protected StoreFixture newFixture() {
        return new JdbcFixture(JdbcDialect.MYSQL);
    }
}
