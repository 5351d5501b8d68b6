package io.dedup.store.jdbc.internal.purge;

import java.time.Duration;

/**
 * Determines the batch size and the pauses of the background purge, which works a quarter of the time. A batch that
 * takes notably longer than the fastest recent one means that the database is busy: batches then get smaller and pauses
 * longer, step by step, and recover once batches are fast again.
 *
 * <p>Not thread-safe. Does not read a clock.
 */
final class PurgePace {
    /** The pause as a multiple of the batch before: a quarter of the time is work. */
    static final int REST = 3;

    /** With each step, batches become half as large, and pauses twice as long relative to the batch before. */
    static final int MOST_STEPS = 3;

    static final int QUICK_ONES_FOR_A_STEP_BACK = 5;

    static final Duration LONGEST_REST = Duration.ofSeconds(10);

    /** A batch counts as slow if it takes this many times as long as the fastest. */
    private static final double SLOW = 2;

    /** Short batches vary by more than that without a reason: a round trip, a commit, a page that must be read. */
    private static final double LEEWAY_NANOS = 5e6;

    /** With each batch, the fastest time increases by this factor, because tables grow and databases move. */
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
