package io.dedup.store.redis.internal.packed;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What all stores of a packed namespace must agree on; fixed by the first.
 *
 * @param expectedIds how many records the buckets are made for
 * @param bucketsPerSlot how many buckets each slot of a cluster has; a single server has the same buckets
 */
public record PackedSettings(long expectedIds, int bucketsPerSlot) {
    /**
     * Entries of a bucket when there are as many records as expected: many, so that what a key costs is shared; and so
     * few that a bucket can hold eight times as many before the server would store it in another form.
     */
    private static final long ENTRIES = 64;

    private static final int SLOTS = 16_384;
    private static final Pattern TEXT = Pattern.compile("1[rw],(\\d{1,18}),(\\d{1,9})");

    /** The settings of a namespace that is to have that many records. */
    public static PackedSettings of(long expectedIds) {
        long perSlot = Math.max(1, (expectedIds + ENTRIES * SLOTS - 1) / (ENTRIES * SLOTS));
        return new PackedSettings(expectedIds, Math.toIntExact(perSlot));
    }

    /** @return null if it is not the text of settings that this version knows */
    public static @Nullable PackedSettings parse(String text) {
        Matcher matcher = TEXT.matcher(text);
        return matcher.matches()
                ? new PackedSettings(Long.parseLong(matcher.group(1)), Integer.parseInt(matcher.group(2)))
                : null;
    }

    /** Whether stored settings say that records may have been packed. */
    public static boolean isWritten(String text) {
        return !text.startsWith("1r,");
    }

    /**
     * The settings as they are stored.
     *
     * @param packing whether records are packed, or only found yet
     */
    public String text(Packing packing) {
        return (packing.writes() ? "1w," : "1r,") + expectedIds + "," + bucketsPerSlot;
    }
}
