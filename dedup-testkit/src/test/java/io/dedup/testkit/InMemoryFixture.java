package io.dedup.testkit;

import io.dedup.DedupScope;
import io.dedup.store.ClaimRequest;
import io.dedup.store.DedupStore;
import io.dedup.store.Owner;
import io.dedup.store.memory.InMemoryDedupStore;
import io.dedup.testkit.fixture.StoreFixture;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

/** An in-memory store, possibly a broken one, on a clock that only {@link #advance} moves. */
final class InMemoryFixture implements StoreFixture {
    private static final int CLAIMS_OF_A_SWEEP = 20_000;

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
    public boolean erases() {
        return true;
    }

    @Override
    public boolean keepsSteps() {
        return true;
    }

    @Override
    public void advance(Duration by) {
        now.updateAndGet(instant -> instant.plus(by));
    }

    /** The store sweeps as claims come in, so that enough of them walk it once from end to end. */
    @Override
    public void purge() {
        ClaimRequest request = new ClaimRequest(
                DedupScope.of("purge", "purge").key("any"), new Owner("any"), Duration.ofDays(1), null, false);
        for (int i = 0; i < CLAIMS_OF_A_SWEEP; i++) {
            store.claim(List.of(request)).get(0);
        }
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
