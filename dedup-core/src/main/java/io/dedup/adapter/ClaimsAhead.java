package io.dedup.adapter;

import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Claims deliveries with one call before they are handled one by one. What happens to each is decided, and reported to the
 * listeners, at its turn, exactly as {@link DedupAdapter#admit} does; until then its lease is renewed. Thread-safe.
 */
public interface ClaimsAhead {
    /**
     * Claims what can be claimed ahead: the first delivery of each key, in mode LEASED and not in shadow mode. Never waits for
     * a message that is in flight elsewhere.
     *
     * @return in the order of the deliveries; null for one that is to be admitted at its turn. All are null where a claim
     *     was found whose process had died with it: then each is to run on its own, so that only the one that kills is
     *     charged for it.
     */
    List<@Nullable ClaimAhead> claim(List<Delivery> deliveries);

    /** Decides about a delivery whose turn it is. Takes no round trip unless the store's answer has become worthless. */
    Admission admit(ClaimAhead claim, WaitBudget budget);

    /**
     * Gives up claims whose deliveries have not begun, with one call; their attempts don't count.
     *
     * @param claims may contain nulls, as the answers of {@link #claim} do
     */
    void giveBack(Collection<? extends @Nullable ClaimAhead> claims);

    /** Notifies the listeners of a copy of a message whose handler has succeeded, and whose completion is on its way. */
    void follows(Delivery copy, Execution handled);
}
