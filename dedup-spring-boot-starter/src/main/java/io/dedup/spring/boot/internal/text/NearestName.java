package io.dedup.spring.boot.internal.text;

import java.util.Collection;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Finds the name that was probably meant. */
public final class NearestName {
    private static final int LETTERS_FOR_ONE_MISTAKE = 3;

    private NearestName() {}

    /** The candidate that is most like the name; null when none is much like it. */
    public static @Nullable String of(String name, Collection<String> candidates) {
        String nearest = null;
        int fewest = Math.max(1, name.length() / LETTERS_FOR_ONE_MISTAKE) + 1;
        for (String candidate : candidates) {
            int mistakes = mistakes(name.toLowerCase(Locale.ROOT), candidate.toLowerCase(Locale.ROOT));
            if (mistakes < fewest && !candidate.equals(name)) {
                fewest = mistakes;
                nearest = candidate;
            }
        }
        return nearest;
    }

    /** How many characters have to be added, removed or replaced (Levenshtein). */
    private static int mistakes(String a, String b) {
        int[] before = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            before[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int[] row = new int[b.length() + 1];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = before[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(replaced, 1 + Math.min(before[j], row[j - 1]));
            }
            before = row;
        }
        return before[b.length()];
    }
}
