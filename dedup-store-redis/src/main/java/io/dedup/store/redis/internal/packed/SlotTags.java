package io.dedup.store.redis.internal.packed;

import io.lettuce.core.cluster.SlotHash;
import java.nio.charset.StandardCharsets;

/**
 * A short text for each slot of a cluster, whose hash is that slot. A key that has it between braces is in the slot of
 * any given other key.
 */
final class SlotTags {
    private static final String DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    private static final byte[][] TAGS = find();

    private SlotTags() {}

    /** The text of a slot. Do not change it. */
    static byte[] of(int slot) {
        return TAGS[slot];
    }

    /** Always finds the same texts: stored keys contain them. */
    private static byte[][] find() {
        byte[][] tags = new byte[SlotHash.SLOT_COUNT][];
        int missing = tags.length;
        for (int number = 0; missing > 0; number++) {
            byte[] tag = text(number);
            int slot = SlotHash.getSlot(tag);
            if (tags[slot] == null) {
                tags[slot] = tag;
                missing--;
            }
        }
        return tags;
    }

    private static byte[] text(int number) {
        StringBuilder text = new StringBuilder();
        int rest = number;
        do {
            text.append(DIGITS.charAt(rest % DIGITS.length()));
            rest /= DIGITS.length();
        } while (rest > 0);
        return text.toString().getBytes(StandardCharsets.US_ASCII);
    }
}
