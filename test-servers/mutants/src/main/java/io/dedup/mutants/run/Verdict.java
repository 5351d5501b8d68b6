package io.dedup.mutants.run;

import java.util.Locale;

/** The result of a mutant. */
public enum Verdict {
    /** Its test failed with it, and passes without. */
    KILLED,
    /** Its test passes with it. */
    SURVIVED,
    /** Its test didn't end, and its head doesn't say that this counts as killed. */
    TIMED_OUT,
    /** The sources have changed in the places that the patch changes. */
    DOES_NOT_APPLY,
    DOES_NOT_COMPILE,
    /** Without the mutant its test fails, hangs, is skipped or doesn't exist, so its result means nothing. */
    TEST_SAYS_NOTHING;

    /** As files and docs write it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Reads what {@link #word} writes. */
    public static Verdict of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT).replace('-', '_'));
    }
}
