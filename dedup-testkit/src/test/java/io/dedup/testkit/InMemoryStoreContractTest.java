package io.dedup.testkit;

import io.dedup.testkit.fixture.StoreFixture;

/** The in-memory store on a clock that stands still: every boundary is checked to the millisecond. */
class InMemoryStoreContractTest extends DedupStoreContract {
    @Override
    protected StoreFixture newFixture() {
        return new InMemoryFixture();
    }
}
