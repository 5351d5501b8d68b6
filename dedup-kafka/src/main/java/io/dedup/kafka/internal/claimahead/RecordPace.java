package io.dedup.kafka.internal.claimahead;

/** How long one consumer's records take, one after the other. Used by the consumer's thread. */
final class RecordPace {
    /** What a record is taken to cost before anything is known: 1,000 of them fit in a third of the default lease. */
    private static final long FIRST_GUESS_NANOS = 10_000_000;

    private static final int WEIGHT = 4;

    private long nanosPerRecord = FIRST_GUESS_NANOS;
    private long begunAt;
    private int records;

    /** So many have their turns from now on. */
    void begin(int count) {
        begunAt = System.nanoTime();
        records = count;
    }

    /** They have had them. */
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
