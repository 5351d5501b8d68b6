package io.dedup.benchmarks.subject;

import io.dedup.DedupOutcome;
import io.dedup.Deduplicator;
import io.dedup.engine.DeduplicatorBuilder;
import io.dedup.engine.Deduplicators;
import io.dedup.policy.DedupMode;
import io.dedup.policy.DedupPolicy;
import io.dedup.store.DedupStore;
import java.util.function.UnaryOperator;

/** Handles messages as a user does, through a {@link Deduplicator}. Thread-safe. */
public final class DedupHandling implements MessageHandling, AutoCloseable {
    private final Deduplicator deduplicator;

    private DedupHandling(Deduplicator deduplicator) {
        this.deduplicator = deduplicator;
    }

    /**
     * In one mode, whose records are no other mode's.
     *
     * @param settings adds what the mode needs
     */
    public static DedupHandling of(DedupStore store, DedupMode mode, UnaryOperator<DeduplicatorBuilder> settings) {
        return new DedupHandling(settings.apply(Deduplicators.builder(store)
                        .consumer(StoreRequests.CONSUMER + "-" + mode)
                        .defaults(DedupPolicy.defaults().toBuilder().mode(mode).build()))
                .build());
    }

    /** The name of a mode among the ways of a store. */
    public static String name(DedupMode mode) {
        return ContenderNames.DEDUP + ", " + mode;
    }

    @Override
    public boolean handle(String id) {
        DedupOutcome<Object> outcome = deduplicator.execute(deduplicator.key(StoreRequests.TOPIC, id), context -> true);
        if (outcome.mayAck()) {
            return outcome instanceof DedupOutcome.Handled;
        }
        throw new IllegalStateException("not handled: " + outcome);
    }

    @Override
    public void close() {
        deduplicator.close();
    }
}
