package io.dedup.adapter.poll;

/** Measures how long the turns of one consumer's records take, on average, the latest ones counting most. Used by the consumer's thread. */
final class RecordPace {
    /** The assumed time per record before anything is measured: 1,000 records fit in a third of the default lease. */
    private static final long FIRST_GUESS_NANOS = 10_000_000;

    private static final int WEIGHT = 4;

    private long nanosPerRecord = FIRST_GUESS_NANOS;
    private long begunAt;
    private int records;

    /** The turns of this many records begin. */
    void begin(int count) {
        begunAt = System.nanoTime();
        records = count;
    }

    /** Their turns are over. */
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
