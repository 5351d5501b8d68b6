package io.dedup.failover.load;

import io.dedup.Deduplicator;
import io.dedup.policy.DedupMode;
import io.dedup.store.DedupStore;

/** Mode LEASED; effects are counted outside of the store. Closes its store. */
public final class LeasedHandling implements Handling {
    private final Closeables open = new Closeables();
    private final Deduplicator deduplicator;
    private final EffectLog effects;

    public LeasedHandling(DedupStore store, String topic, EffectLog effects) {
        this.effects = effects;
        open.add(store);
        this.deduplicator =
                open.add(LoadPolicy.builder(store, topic, DedupMode.LEASED).build());
    }

    @Override
    public Deduplicator deduplicator() {
        return deduplicator;
    }

    @Override
    public void handle(String id, int attempt) {
        Work.take();
        effects.add(id, attempt);
    }

    @Override
    public void close() {
        open.close();
    }
}
