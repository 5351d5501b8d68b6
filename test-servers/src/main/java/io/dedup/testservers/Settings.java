package io.dedup.testservers;

import java.util.Locale;
import java.util.Optional;

/** What the user may set: {@code -Ddedup.test.<name>}, or {@code DEDUP_TEST_<NAME>} in the environment. */
public final class Settings {

    private Settings() {}

    public static Optional<String> get(String name) {
        String property = System.getProperty("dedup.test." + name);
        String value = property != null
                ? property
                : System.getenv("DEDUP_TEST_" + name.toUpperCase(Locale.ROOT).replace('.', '_'));
        return Optional.ofNullable(value).filter(set -> !set.isBlank());
    }
}
