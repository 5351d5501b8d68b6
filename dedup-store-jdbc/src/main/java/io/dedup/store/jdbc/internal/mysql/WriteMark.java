package io.dedup.store.jdbc.internal.mysql;

import java.util.concurrent.ThreadLocalRandom;

/** A number that only one call writes into its rows, with room for what the call did to each row. */
final class WriteMark {
    private static final long KINDS = 0b111;

    private WriteMark() {}

    /** A random number, not negative, with its lowest three bits unset. */
    static long next() {
        return ThreadLocalRandom.current().nextLong() & Long.MAX_VALUE & ~KINDS;
    }

    /** Whether a row's mark was written by the call that has this mark. */
    static boolean isOf(long mark, long written) {
        return (written & ~KINDS) == mark;
    }
}
