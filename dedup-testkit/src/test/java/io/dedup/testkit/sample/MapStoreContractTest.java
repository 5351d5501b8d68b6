package io.dedup.testkit.sample;

import io.dedup.store.DedupStore;
import io.dedup.testkit.DedupStoreContract;
import io.dedup.testkit.fixture.StoreFixture;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;

// docs:begin test
class MapStoreContractTest extends DedupStoreContract {
    @Override
    protected StoreFixture newFixture() {
        return new Fixture();
    }

    private static final class Fixture implements StoreFixture {
        private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-03-01T08:30:00Z"));
        private final MapStore store = new MapStore(now::get);

        @Override
        public DedupStore store() {
            return store;
        }

        @Override
        public DedupStore secondInstance() {
            return store; // with a real server: a second client
        }

        @Override
        public void advance(Duration by) {
            now.updateAndGet(time -> time.plus(by)); // if a server's clock cannot be moved, make its records older
        }

        @Override
        public Duration drift() {
            return Duration.ZERO; // this clock stands still; a server's runs on
        }

        @Override
        public void close() {}
    }
}
// docs:end
