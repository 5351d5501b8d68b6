package io.dedup.store.jdbc;

import io.dedup.store.jdbc.support.JdbcFixture;
import io.dedup.testkit.DedupStoreContract;
import io.dedup.testkit.fixture.StoreFixture;

/** On a table with digests in place of message IDs. */
class MariaDbDigestStoreContractTest extends DedupStoreContract {
    @Override
    protected StoreFixture newFixture() {
        return new JdbcFixture(JdbcDialect.MARIADB, JdbcKeyFormat.DIGEST);
    }
}
