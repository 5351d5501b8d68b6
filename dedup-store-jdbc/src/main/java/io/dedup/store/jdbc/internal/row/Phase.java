package io.dedup.store.jdbc.internal.row;

/** Where a record stands. Statements and stored rows use the number. */
public enum Phase {
    RELEASED(0),
    PROCESSING(1),
    /** PROCESSING by a claim that took over a dead one. */
    TAKEN_OVER(2),
    /** Given back by a claim that had taken over a dead one: nobody's, and still a death to count. */
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
