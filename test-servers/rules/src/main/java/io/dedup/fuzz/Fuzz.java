package io.dedup.fuzz;

import java.util.Locale;

/**
 * Runs a property over many inputs, each made from a seed of its own. {@code -Ddedup.test.fuzz=1000000} sets their number,
 * {@code -Ddedup.test.fuzz.seed} the first one's seed (1, or a random one where a number is asked for); a failure says how to run its input again.
 */
public final class Fuzz {
    private static final String NUMBER = "dedup.test.fuzz";
    private static final String SEED = "dedup.test.fuzz.seed";

    /** The longest line that is a log line and no flood. */
    private static final int LONGEST_LINE = 4_000;

    private Fuzz() {}

    /** What has to hold for an input. */
    @FunctionalInterface
    public interface Property {
        void check(Hostile input) throws Exception;
    }

    /**
     * Checks inputs, as many as were asked for.
     *
     * @param name of the property
     * @param number of inputs unless one is asked for
     */
    public static void check(String name, int number, Property property) {
        check(name, number, 1, property);
    }

    /**
     * The same for inputs that take long.
     *
     * @param times what one of them takes, in ordinary inputs: of the number that is asked for only a part is checked
     */
    public static void check(String name, int number, int times, Property property) {
        Integer asked = Integer.getInteger(NUMBER);
        int inputs = asked == null ? number : Math.max(1, asked / times);
        // The ordinary build checks the same inputs each time; a run with a given number uses others.
        long first = Long.getLong(SEED, asked == null ? 1 : System.nanoTime());
        long start = System.nanoTime();
        for (long seed = first; seed < first + inputs; seed++) {
            try {
                property.check(new Hostile(seed));
            } catch (Throwable e) {
                throw new AssertionError(
                        name + ", input " + (seed - first + 1) + " of " + inputs + "; it runs again with -D" + SEED
                                + "=" + seed + " -D" + NUMBER + "=1: " + e,
                        e);
            }
        }
        if (asked != null) {
            System.out.printf(
                    Locale.ROOT,
                    "%s: %,d inputs in %.1f s, seed %d%n",
                    name,
                    inputs,
                    (System.nanoTime() - start) / 1e9,
                    first);
        }
    }

    /** Refuses what breaks a log: line breaks, control and format characters, and floods. */
    public static void requireLogLine(String line) {
        if (line.length() > LONGEST_LINE) {
            throw new AssertionError("a line of " + line.length() + " characters: " + line.substring(0, 200));
        }
        line.codePoints().forEach(c -> {
            int type = Character.getType(c);
            if (Character.isISOControl(c)
                    || type == Character.FORMAT
                    || type == Character.LINE_SEPARATOR
                    || type == Character.PARAGRAPH_SEPARATOR) {
                throw new AssertionError(String.format("U+%04X in a log line: %s", c, line));
            }
        });
    }
}
