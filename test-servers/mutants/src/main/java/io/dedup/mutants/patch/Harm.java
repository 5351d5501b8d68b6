package io.dedup.mutants.patch;

import java.util.Locale;

/** The worst that a mutant would do to a user's messages. */
public enum Harm {
    /** A message is acknowledged, and its effect never happens. */
    LOSES,
    /** An effect happens twice although the guarantees say once. */
    DOUBLES,
    /** A message waits for ever, or for much longer than it should. */
    STUCK,
    /** A healthy message is given up, or handlers, logs or metrics report something untrue. */
    MISLEADS;

    /** As heads and docs write it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Harm of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }
}
