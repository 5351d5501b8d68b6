package io.dedup.failover.load;

import io.dedup.failover.plan.Effect;
import java.util.ArrayList;
import java.util.List;

/** Effects that are counted in this JVM, outside of all servers. Thread-safe. */
public final class EffectLog {
    private final List<Effect> effects = new ArrayList<>();

    public synchronized void add(String id, int attempt) {
        effects.add(new Effect(id, attempt, System.currentTimeMillis()));
    }

    /** In their order. */
    public synchronized List<Effect> effects() {
        return List.copyOf(effects);
    }
}
