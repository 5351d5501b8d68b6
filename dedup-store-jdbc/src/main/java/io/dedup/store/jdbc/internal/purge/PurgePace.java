package io.dedup.store.jdbc.internal.purge;

import java.time.Duration;

/**
 * Tells the purge in the background how much to do at a time and how long to rest after it. It works a quarter of the time.
 * A batch that takes notably longer than the quickest recent one means that the database is busy with something else: then
 * batches get smaller and rests longer, step by step, and grow back once they are quick again.
 *
 * <p>Not thread-safe. Knows no clock.
 */
final class PurgePace {
    /** Rests by the length of the batch before: a quarter of the time is work. */
    static final int REST = 3;

    /** With each of these steps batches become half as large, and rests twice as long by the batch before. */
    static final int MOST_STEPS = 3;

    static final int QUICK_ONES_FOR_A_STEP_BACK = 5;

    static final Duration LONGEST_REST = Duration.ofSeconds(10);

    /** How many times as long as the quickest is slow. */
    private static final double SLOW = 2;

    /** Short batches differ by more than that for no reason: a round trip, a commit, a page that has to be read. */
    private static final double LEEWAY_NANOS = 5e6;

    /** By this much with each batch the quickest is forgotten, since tables grow and databases move. */
    private static final double FORGET = 1.01;

    private final int fullBatch;
    private double quickest = Double.POSITIVE_INFINITY; // nanoseconds for a record
    private int steps;
    private int quickInARow;

    PurgePace(int fullBatch) {
        this.fullBatch = fullBatch;
    }

    /** The size of the next batch. */
    int batch() {
        return Math.max(1, fullBatch >> steps);
    }

    /**
     * Learns from a batch.
     *
     * @param records how many it looked at
     * @return how long to rest before the next one
     */
    Duration restAfter(int records, Duration took) {
        double nanos = took.toNanos();
        double byRecord = nanos / records;
        if (nanos > SLOW * quickest * records + LEEWAY_NANOS) {
            steps = Math.min(MOST_STEPS, steps + 1);
            quickInARow = 0;
        } else if (steps > 0 && ++quickInARow == QUICK_ONES_FOR_A_STEP_BACK) {
            steps--;
            quickInARow = 0;
        }
        quickest = Math.min(byRecord, quickest * FORGET);
        Duration rest = took.multipliedBy((long) REST << steps);
        return rest.compareTo(LONGEST_REST) < 0 ? rest : LONGEST_REST;
    }
}
