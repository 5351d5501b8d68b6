package io.dedup.adapter;

import io.dedup.DedupKey;

/**
 * What the store answered about a delivery before its turn. Either {@link ClaimsAhead#admit} uses it up when the turn comes,
 * or {@link ClaimsAhead#giveBack} does when it never does.
 */
public interface ClaimAhead {
    /** The delivery that it was asked for. */
    Delivery delivery();

    /** That delivery's key. */
    DedupKey key();

    /** Whether the store failed; it is asked again at the delivery's turn. */
    boolean isUnanswered();
}
