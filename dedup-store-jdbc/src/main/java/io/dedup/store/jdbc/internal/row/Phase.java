package io.dedup.store.jdbc.internal.row;

/** The state of a record. Statements and stored rows use the number. */
public enum Phase {
    RELEASED(0),
    PROCESSING(1),
    /** PROCESSING by a claim that took over one with an expired lease. */
    TAKEN_OVER(2),
    /**
     * Given back by a claim that had taken over one with an expired lease: has no owner, and the death is still to be
     * counted.
     */
    DEAD(3),
    DONE(4);

    private static final Phase[] ALL = values();

    private final int number;

    Phase(int number) {
        this.number = number;
    }

    public static Phase of(int number) {
        for (Phase phase : ALL) {
            if (phase.number == number) {
                return phase;
            }
        }
        throw new IllegalStateException(
                "a row has the unknown state " + number + ": a newer release may have written it");
    }

    public int number() {
        return number;
    }

    boolean isOwned() {
        return this == PROCESSING || this == TAKEN_OVER;
    }
}
