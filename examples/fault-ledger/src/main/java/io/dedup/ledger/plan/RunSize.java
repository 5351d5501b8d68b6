package io.dedup.ledger.plan;

import java.util.List;
import java.util.Set;

/**
 * How much is sent and broken. Together with the seed, this decides everything in a run except its timing.
 *
 * @param kinds of faults; {@link #ALL}, {@link #DRAWN}, or names separated by plus signs
 */
public record RunSize(int messages, int faults, String kinds, long seed) {
    /** Every kind of fault. */
    public static final String ALL = "all";

    /** Of all kinds those that the seed draws, where there are fewer faults than kinds. */
    public static final String DRAWN = "drawn";

    /** What no lease has to outlive: with these alone, LEASED doubles nothing either. */
    private static final Set<String> HARMLESS =
            Set.of("commit-fails", "rebalance", "rebalance-held", "fail", "poison", "slow");

    /** Whether any fault may end a lease, or lose a record, while a handler runs. */
    public boolean mayDouble() {
        return !HARMLESS.containsAll(List.of(kinds.split("\\+", -1)));
    }
}
