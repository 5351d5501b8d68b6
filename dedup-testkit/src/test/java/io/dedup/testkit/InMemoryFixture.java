package io.dedup.testkit;

import io.dedup.store.DedupStore;
import io.dedup.store.memory.InMemoryDedupStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

/** An in-memory store, possibly a broken one, on a clock that only {@link #advance} moves. */
final class InMemoryFixture implements StoreFixture {
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-03-01T08:30:00.000250Z"));
    private final DedupStore store;

    InMemoryFixture() {
        this(store -> store);
    }

    InMemoryFixture(UnaryOperator<DedupStore> breakage) {
        InstantSource clock = now::get;
        store = breakage.apply(new InMemoryDedupStore(clock, InMemoryDedupStore.DEFAULT_ATTEMPT_RETENTION));
    }

    @Override
    public DedupStore store() {
        return store;
    }

    @Override
    public DedupStore secondInstance() {
        return store;
    }

    @Override
    public void advance(Duration by) {
        now.updateAndGet(instant -> instant.plus(by));
    }

    @Override
    public Duration drift() {
        return Duration.ZERO;
    }

    @Override
    public void close() {
        store.close();
    }
}
