package io.dedup.store.jdbc;

import io.dedup.store.jdbc.support.GenericEngine;
import io.dedup.store.jdbc.support.GenericFixture;
import io.dedup.testkit.DedupStoreContract;
import io.dedup.testkit.fixture.StoreFixture;

/** The generic dialect on an engine that isn't H2. */
class HsqldbStoreContractTest extends DedupStoreContract {
    @Override
    protected StoreFixture newFixture() {
        return new GenericFixture(GenericEngine.HSQLDB);
    }
}
