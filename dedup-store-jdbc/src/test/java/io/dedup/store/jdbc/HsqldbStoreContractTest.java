package io.dedup.store.jdbc;

import io.dedup.store.jdbc.support.GenericEngine;
import io.dedup.store.jdbc.support.GenericFixture;
import io.dedup.testkit.DedupStoreContract;
import io.dedup.testkit.fixture.StoreFixture;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** The generic dialect on an engine that isn't H2; in each build {@link GenericStoreContractTest} runs it on H2. */
@EnabledIfSystemProperty(
        named = "dedup.test.contracts",
        matches = "all",
        disabledReason = "takes a minute: -Ddedup.test.contracts=all runs it")
class HsqldbStoreContractTest extends DedupStoreContract {
    @Override
    protected StoreFixture newFixture() {
        return new GenericFixture(GenericEngine.HSQLDB);
    }
}
