package io.dedup.benchmarks.subject;

import io.dedup.benchmarks.measure.Traffic;
import java.util.List;

/**
 * Requests of a store, to be sent without the store.
 *
 * @param claim for a new message, or for all of a batch
 * @param claimDuplicate for a duplicate; not used for batches
 * @param complete for a new message, or for all new ones of a batch
 */
public record Captured(Exchange claim, Exchange claimDuplicate, Exchange complete) {
    /** For those that send the same for a duplicate. */
    public Captured(Exchange claim, Exchange complete) {
        this(claim, claim, complete);
    }

    /** Handles one message after the other. */
    void single(Traffic.Block block) {
        for (int i = 0; i < block.ids().size(); i++) {
            List<String> one = List.of(block.ids().get(i));
            if (block.isDuplicate(i)) {
                claimDuplicate.send(one);
            } else {
                claim.send(one);
                complete.send(one);
            }
        }
    }

    /** Handles all at once. */
    void batch(Traffic.Block block) {
        claim.send(block.ids());
        complete.send(block.fresh());
    }
}
