package io.dedup.testkit;

import io.dedup.store.DedupStore;
import io.dedup.store.memory.InMemoryDedupStore;
import io.dedup.testkit.fixture.StoreFixture;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;

/** The in-memory store on a clock that goes on by itself, as a server's does: shows that the contract allows for it. */
class RunningClockContractTest extends DedupStoreContract {
    @Override
    protected StoreFixture newFixture() {
        return new RunningClockFixture();
    }

    private static final class RunningClockFixture implements StoreFixture {
        private final AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);
        private final DedupStore store = new InMemoryDedupStore(
                () -> Instant.now().plus(ahead.get()), InMemoryDedupStore.DEFAULT_ATTEMPT_RETENTION);

        @Override
        public DedupStore store() {
            return store;
        }

        @Override
        public DedupStore secondInstance() {
            return store;
        }

        @Override
        public boolean erases() {
            return true;
        }

        @Override
        public boolean keepsSteps() {
            return true;
        }

        @Override
        public void advance(Duration by) {
            ahead.updateAndGet(already -> already.plus(by));
        }

        @Override
        public void close() {
            store.close();
        }
    }
}
