package io.dedup.testkit.internal.history;

import io.dedup.store.DedupStore;
import io.dedup.store.memory.InMemoryDedupStore;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;

/** The in-memory store, on a clock that stands still unless it is advanced. */
final class ReferenceStore {
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));
    private final DedupStore store;

    ReferenceStore(Duration attemptRetention) {
        store = new InMemoryDedupStore(now::get, attemptRetention);
    }

    DedupStore store() {
        return store;
    }

    void advance(Duration by) {
        now.updateAndGet(instant -> instant.plus(by));
    }
}
