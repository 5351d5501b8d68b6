package io.dedup.tools;

import io.dedup.policy.Window;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads windows as properties have them. */
final class Windows {
    private static final Pattern SIMPLE = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");

    private Windows() {}

    static Window parse(String text) {
        if (text.equalsIgnoreCase("forever")) {
            return Window.forever();
        }
        Matcher matcher = SIMPLE.matcher(text.toLowerCase(Locale.ROOT));
        if (matcher.matches()) {
            long count = Long.parseLong(matcher.group(1));
            return Window.of(
                    switch (matcher.group(2)) {
                        case "ms" -> Duration.ofMillis(count);
                        case "s" -> Duration.ofSeconds(count);
                        case "m" -> Duration.ofMinutes(count);
                        case "h" -> Duration.ofHours(count);
                        default -> Duration.ofDays(count);
                    });
        }
        try {
            return Window.of(Duration.parse(text));
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException("a window is 36h, 7d, PT36H or forever, not \"" + text + '"', e);
        }
    }
}
