package io.dedup.adapter;

import io.dedup.DedupKey;

/**
 * The store's answer about a delivery before its turn. Pass each one either to {@link ClaimsAhead#admit} at its turn
 * or, if its turn never comes, to {@link ClaimsAhead#giveBack}.
 */
public interface ClaimAhead {
    /** The delivery that this claim is for. */
    Delivery delivery();

    /** The key of that delivery. */
    DedupKey key();

    /** Whether the store failed to answer. It is called again at the delivery's turn. */
    boolean isUnanswered();
}
