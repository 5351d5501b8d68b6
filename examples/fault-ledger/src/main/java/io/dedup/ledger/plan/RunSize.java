package io.dedup.ledger.plan;

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
}
