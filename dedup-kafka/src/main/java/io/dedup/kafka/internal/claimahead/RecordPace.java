package io.dedup.kafka.internal.claimahead;

/** Measures how long one consumer's records take, one after the other. Used by the consumer's thread. */
final class RecordPace {
    /** The assumed time per record before anything is measured: 1,000 records fit in a third of the default lease. */
    private static final long FIRST_GUESS_NANOS = 10_000_000;

    private static final int WEIGHT = 4;

    private long nanosPerRecord = FIRST_GUESS_NANOS;
    private long begunAt;
    private int records;

    /** Starts measuring a poll of this many records. */
    void begin(int count) {
        begunAt = System.nanoTime();
        records = count;
    }

    /** The records of the poll have had their turns. */
    void end() {
        if (records > 0) {
            long each = (System.nanoTime() - begunAt) / records;
            nanosPerRecord += (each - nanosPerRecord) / WEIGHT;
            records = 0;
        }
    }

    long nanosPerRecord() {
        return nanosPerRecord;
    }
}
