package io.dedup.simulation;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Scenarios as text: what a shrunk one is kept as. Lines {@code key: value}, with the key {@code event} once for each event; an
 * empty line ends a scenario, and what begins with {@code #} is for people. Circumstances that aren't named are the plainest.
 *
 * @param name what went wrong, in a sentence
 * @param found the kinds of the verdict when it was found
 */
record ScenarioText(String name, String found, Scenario scenario) {
    /** The scenarios of a file beside this class. */
    static List<ScenarioText> read(String resource, Simulation simulation) {
        try (InputStream in =
                requireNonNull(ScenarioText.class.getResourceAsStream(resource), () -> "no file " + resource)) {
            return parse(new String(in.readAllBytes(), StandardCharsets.UTF_8), simulation);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static List<ScenarioText> parse(String text, Simulation simulation) {
        List<ScenarioText> all = new ArrayList<>();
        for (String part : text.split("\n\\s*\n")) {
            List<String> lines = part.lines()
                    .filter(line -> !line.startsWith("#") && !line.isBlank())
                    .toList();
            if (!lines.isEmpty()) {
                all.add(one(lines, simulation));
            }
        }
        return all;
    }

    private static ScenarioText one(List<String> lines, Simulation simulation) {
        Map<String, String> values = new LinkedHashMap<>();
        List<String> events = new ArrayList<>();
        for (String line : lines) {
            String[] parts = line.split(": ", 2);
            if (parts.length != 2) {
                throw new IllegalArgumentException("not \"key: value\": " + line);
            }
            if (parts[0].equals("event")) {
                events.add(parts[1]);
            } else {
                values.put(parts[0], parts[1]);
            }
        }
        return new ScenarioText(
                value(values, "scenario"),
                value(values, "found"),
                new Scenario(
                        Long.parseLong(value(values, "seed")),
                        circumstances(value(values, "circumstances"), simulation.circumstances()),
                        events));
    }

    private static String value(Map<String, String> values, String key) {
        return requireNonNull(values.get(key), () -> "no line \"" + key + ": \" in " + values);
    }

    private static Drawn circumstances(String text, Class<? extends Drawn> type) {
        Map<String, String> named = new LinkedHashMap<>();
        for (String each : text.split(", ")) {
            String[] parts = each.split("=", 2);
            named.put(parts[0], parts[1]);
        }
        RecordComponent[] components = type.getRecordComponents();
        Object[] values = Arrays.stream(components)
                .map(each -> parse(each.getType(), named.remove(each.getName())))
                .toArray();
        if (!named.isEmpty()) {
            throw new IllegalArgumentException("no such circumstances: " + named.keySet());
        }
        try {
            Constructor<? extends Drawn> constructor = type.getDeclaredConstructor(
                    Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
            constructor.setAccessible(true);
            return constructor.newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Object parse(Class<?> type, @Nullable String text) {
        if (type == boolean.class) {
            return Boolean.parseBoolean(text);
        }
        if (type == int.class) {
            return text == null ? 1 : Integer.parseInt(text);
        }
        Object[] constants = requireNonNull(type.getEnumConstants());
        return Arrays.stream(constants)
                .filter(each -> text == null || each.toString().equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no " + type.getSimpleName() + " " + text));
    }

    /** The scenario as it is kept, with the time line of a run of it. */
    static String write(String name, Verdict verdict) {
        StringBuilder text = new StringBuilder();
        text.append("scenario: ").append(name).append('\n');
        text.append("found: ").append(String.join(", ", verdict.kinds())).append('\n');
        text.append("seed: ").append(verdict.scenario().seed()).append('\n');
        text.append("circumstances: ")
                .append(String.join(", ", verdict.scenario().circumstances().unlikePlain()))
                .append('\n');
        verdict.happened().forEach(event -> text.append("event: ").append(event).append('\n'));
        verdict.steps().forEach(step -> text.append("# ").append(step).append('\n'));
        text.append("# ").append(verdict.outcome()).append('\n');
        return text.toString();
    }
}
