package io.dedup.benchmarks.subject;

import java.util.UUID;

/** Handles messages with what an expert writes: a claim with a lease, then a completion. Thread-safe. */
public record ByHandHandling(ByHandStore store) implements MessageHandling {
    /** Its name among the ways of a store. */
    public static final String NAME = ContenderNames.BY_HAND + ", leased";

    @Override
    public boolean handle(String id) {
        String owner = UUID.randomUUID().toString();
        return switch (store.claim(id, owner)) {
            case MINE -> {
                store.complete(id, owner);
                yield true;
            }
            case DONE -> false;
            case IN_FLIGHT -> throw new IllegalStateException("in flight: " + id);
        };
    }
}
