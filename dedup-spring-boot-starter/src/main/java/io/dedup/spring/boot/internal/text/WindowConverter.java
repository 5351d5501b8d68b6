package io.dedup.spring.boot.internal.text;

import io.dedup.policy.Window;
import io.dedup.text.Printable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBinding;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.convert.converter.Converter;

/** {@code 7d}, {@code PT24H} or {@code forever}. A number without a unit is rejected, because it could be days or milliseconds. */
@ConfigurationPropertiesBinding
public final class WindowConverter implements Converter<String, Window> {
    @Override
    public Window convert(String source) {
        String text = source.strip();
        if (text.equalsIgnoreCase("forever")) {
            return Window.forever();
        }
        if (text.isEmpty() || text.chars().allMatch(Character::isDigit)) {
            throw wrong(source);
        }
        try {
            return Window.of(DurationStyle.detectAndParse(text));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    wrong(source).getMessage() + ". The units are ms, s, m, h and d ("
                            + Printable.sentence(YamlNames.inYaml(String.valueOf(e.getMessage()))) + ")",
                    e);
        }
    }

    private static IllegalArgumentException wrong(String source) {
        return new IllegalArgumentException(
                "a window must be a duration with its unit, such as 10m, 24h or 7d, or forever, but is "
                        + Printable.of(source));
    }
}
