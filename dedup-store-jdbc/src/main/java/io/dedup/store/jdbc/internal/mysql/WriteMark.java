package io.dedup.store.jdbc.internal.mysql;

import java.util.concurrent.ThreadLocalRandom;

/** A number that one call alone writes into its rows, with room for what it did to each. */
final class WriteMark {
    private static final long KINDS = 0b111;

    private WriteMark() {}

    /** Random, not negative, its lowest three bits free. */
    static long next() {
        return ThreadLocalRandom.current().nextLong() & Long.MAX_VALUE & ~KINDS;
    }

    /** Whether a row's mark was written by the call that has this mark. */
    static boolean isOf(long mark, long written) {
        return (written & ~KINDS) == mark;
    }
}
