package io.dedup.benchmarks.subject;

import io.dedup.policy.DedupMode;
import io.dedup.store.memory.InMemoryDedupStore;
import java.util.Map;

/** The in-memory store. */
public final class MemoryHandling implements HandlingStore {
    private final InMemoryDedupStore store = new InMemoryDedupStore();
    private final DedupHandling leased = DedupHandling.of(store, DedupMode.LEASED, settings -> settings);

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public Map<String, MessageHandling> ways() {
        return Map.of(DedupHandling.name(DedupMode.LEASED), leased);
    }

    @Override
    public void close() {
        leased.close();
        store.close();
    }
}
