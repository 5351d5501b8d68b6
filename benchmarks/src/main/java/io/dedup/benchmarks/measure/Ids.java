package io.dedup.benchmarks.measure;

import java.nio.charset.StandardCharsets;

/** Message IDs of 14 characters: no two numbers give the same one, and neighbours have nothing in common. */
public final class Ids {
    /** The characters of an ID. */
    public static final int LENGTH = 14;

    private static final String DIGITS = "0123456789abcdefghijklmnopqrstuv";
    private static final int BITS = 5;

    private Ids() {}

    /** The ID of a number. Scattered, because business IDs meet an index anywhere and not only at its end. */
    public static String text(long number) {
        long mixed = mix(number);
        byte[] text = new byte[LENGTH];
        text[0] = 'o';
        for (int i = LENGTH - 1; i > 0; i--) {
            text[i] = (byte) DIGITS.charAt((int) (mixed & ((1 << BITS) - 1)));
            mixed >>>= BITS;
        }
        return new String(text, StandardCharsets.ISO_8859_1);
    }

    /** SplitMix64's finaliser, which can be undone step by step, and so is one-to-one. */
    private static long mix(long number) {
        long z = number * 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
