package io.dedup.store.redis.internal.packed;

/**
 * A window as an entry of a bucket has it, in five digits: a unit, and how many of it.
 *
 * <p>Windows are nearly always a whole number of seconds, minutes, hours or days below 10,000 of them. A record with
 * another window keeps a key of its own.
 */
public final class WindowCode {
    private static final String FOREVER = "00000";
    private static final String NONE = "";
    private static final int MAX_COUNT = 9_999;

    /** Unit 1 is a millisecond; the scripts have the same table. */
    private static final long[] UNITS = {1, 1_000, 60_000, 3_600_000, 86_400_000};

    private WindowCode() {}

    /**
     * The code of a window.
     *
     * @param windowMillis negative for a window without an end
     * @return empty if there is no code for it
     */
    public static String of(long windowMillis) {
        if (windowMillis < 0) {
            return FOREVER;
        }
        for (int unit = UNITS.length; unit > 0; unit--) {
            long count = windowMillis / UNITS[unit - 1];
            if (count > 0 && count <= MAX_COUNT && count * UNITS[unit - 1] == windowMillis) {
                return Long.toString(unit * (MAX_COUNT + 1L) + count);
            }
        }
        return NONE;
    }
}
