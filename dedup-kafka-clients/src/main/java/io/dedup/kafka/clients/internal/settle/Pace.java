package io.dedup.kafka.clients.internal.settle;

/** How long a record's turn takes, on average, the latest ones counting most. Not thread-safe. */
final class Pace {
    private static final long FIRST_GUESS_NANOS = 10_000_000;
    private static final int WEIGHT = 4;

    private long nanosPerRecord = FIRST_GUESS_NANOS;
    private long begunAt;
    private int records;

    /** The turns of so many records begin. */
    void begin(int count) {
        end();
        begunAt = System.nanoTime();
        records = count;
    }

    /** Their turns are over. */
    void end() {
        if (records > 0) {
            nanosPerRecord += ((System.nanoTime() - begunAt) / records - nanosPerRecord) / WEIGHT;
            records = 0;
        }
    }

    long nanosPerRecord() {
        return nanosPerRecord;
    }
}
