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
    DONE(4),
    /** {@link #TAKEN_OVER} from a claim that was not made alone, so that no death was counted. */
    TAKEN_OVER_UNCOUNTED(2),
    /** {@link #DEAD} after such a takeover. */
    DEAD_UNCOUNTED(3);

    /**
     * What the column {@code completed_at} of such a row contains; that of another row in state 2 or 3 is null. A column that
     * every table has, and that older versions ignore there: they count the death.
     */
    static final long UNCOUNTED = 1;

    private static final Phase[] ALL = values();

    private final int number;

    Phase(int number) {
        this.number = number;
    }

    /** The phase, regardless of whether a death was counted. */
    public static Phase of(int number) {
        for (Phase phase : ALL) {
            if (phase.number == number) {
                return phase;
            }
        }
        throw new IllegalStateException(
                "a row has the unknown state " + number + ": a newer release may have written it");
    }

    /** @param completed whether {@code completed_at} isn't null */
    static Phase of(int number, boolean completed) {
        Phase phase = of(number);
        if (!completed) {
            return phase;
        }
        return phase == TAKEN_OVER ? TAKEN_OVER_UNCOUNTED : phase == DEAD ? DEAD_UNCOUNTED : phase;
    }

    public int number() {
        return number;
    }

    public boolean isOwned() {
        return this == PROCESSING || tookOver();
    }

    boolean tookOver() {
        return this == TAKEN_OVER || this == TAKEN_OVER_UNCOUNTED;
    }

    boolean isUncounted() {
        return this == TAKEN_OVER_UNCOUNTED || this == DEAD_UNCOUNTED;
    }
}
