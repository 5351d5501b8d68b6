package io.dedup.testkit;

import io.dedup.doubles.SharingStore;
import io.dedup.testkit.fixture.StoreFixture;

/** The in-memory store behind calls that threads share. */
class SharedCallsContractTest extends DedupStoreContract {
    @Override
    protected StoreFixture newFixture() {
        return new InMemoryFixture(SharingStore::of);
    }
}
