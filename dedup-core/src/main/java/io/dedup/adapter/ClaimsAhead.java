package io.dedup.adapter;

import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Claims deliveries with one call before they are handled one by one. The outcome of each is decided, and reported to
 * the listeners, at its turn, exactly as {@link DedupAdapter#admit} does; its lease is renewed until then. Thread-safe.
 */
public interface ClaimsAhead {
    /**
     * Claims what can be claimed ahead: the first delivery of each key, in mode LEASED and outside shadow mode. Never
     * waits for a message that is in flight elsewhere.
     *
     * @return in the order of the deliveries; null for a delivery to admit at its turn. All are null if the owner of a
     *     claim crashed: run each delivery on its own then, which {@link DedupAdapter#admit} claims at its turn, so that only
     *     the message that crashes the process is counted
     */
    List<@Nullable ClaimAhead> claim(List<Delivery> deliveries);

    /** Decides about a delivery whose turn it is. Takes no round trip unless the store's answer is no longer valid. */
    Admission admit(ClaimAhead claim, WaitBudget budget);

    /**
     * Releases claims whose handlers have not started, with one call; their attempts do not count.
     *
     * @param claims may contain nulls, as the result of {@link #claim} does
     */
    void giveBack(Collection<? extends @Nullable ClaimAhead> claims);

    /**
     * Reports a duplicate to the listeners: a copy of a message whose handler has succeeded and whose completion is
     * being sent.
     */
    void follows(Delivery copy, Execution handled);
}
