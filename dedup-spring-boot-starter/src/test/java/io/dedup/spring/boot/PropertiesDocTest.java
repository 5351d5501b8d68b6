package io.dedup.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.spring.boot.internal.text.SettingText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * docs/properties.md is made from the configuration metadata. {@code -Ddedup.docs.write=true} writes it.
 */
class PropertiesDocTest {
    private static final Path FILE = Path.of("../docs/properties.md");
    private static final String POLICY = "dedup.defaults.";
    private static final String HTTP_POLICY = "dedup.http.defaults.";
    private static final Pattern NAME = Pattern.compile("`([a-z]+(?:-[a-z]+)+)(?:: [^`]*)?`");
    /** Artifacts, the topics of examples, and a setting of MariaDB. */
    private static final String OF_OTHERS = "(dedup|spring|rocketmq|orders)-.*|sysdate-is-now";

    @Test
    void isUpToDate() throws IOException {
        String expected = text();
        if (Boolean.getBoolean("dedup.docs.write")) {
            Files.writeString(FILE, expected);
        }
        assertThat(Files.readString(FILE)).isEqualTo(expected);
    }

    @Test
    void everyPropertyHasADescriptionAndTheEditorItsValues() throws IOException {
        for (JsonNode property : metadata().get("properties")) {
            assertThat(property.path("description").asString())
                    .as(property.get("name").asString())
                    .isNotBlank();
        }
        assertThat(metadata()
                        .get("hints")
                        .valueStream()
                        .map(hint -> hint.get("name").asString()))
                .contains("dedup.defaults.window", "dedup.defaults.id");
    }

    /** What an operator searches for has to be found: a name in prose, such as {@code max-wait}, is that of a property. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "../docs/getting-started.md",
                "../docs/guarantees.md",
                "../docs/kubernetes.md",
                "../docs/moving-in.md",
                "../docs/operations.md",
                "../docs/poolers-and-clusters.md",
                "../docs/production-checklist.md",
                "../docs/sizing.md",
                "README.md"
            })
    void namesInProseExist(String page) throws IOException {
        String prose = Files.readString(Path.of(page)).replaceAll("(?s)```.*?```", "");
        String properties = Files.readString(FILE);

        assertThat(NAME.matcher(prose).results().map(name -> name.group(1)).distinct())
                .filteredOn(name -> !name.matches(OF_OTHERS))
                .allSatisfy(name -> assertThat(properties).containsPattern("[.…`]" + name + "\\b"));
    }

    private static String text() throws IOException {
        Map<String, JsonNode> properties = new TreeMap<>();
        metadata()
                .get("properties")
                .forEach(property -> properties.put(property.get("name").asString(), property));
        properties.remove("management.endpoint.dedup.enabled"); // of Spring Boot 3.5, in favor of …dedup.access
        properties.remove("management.endpoint.deduperasure.enabled");
        StringBuilder text = new StringBuilder("""
                # Properties of the Spring Boot starter

                This page lists every property. How they work together, and which setting overrides which, is in the
                [starter's README](../dedup-spring-boot-starter/README.md).

                As everywhere in Spring Boot, names are relaxed: `max-processing-time` and `maxProcessingTime` are the same. That holds for
                the names of entries as well, unless they are in brackets:
                [similar names](../dedup-spring-boot-starter/README.md#choose-what-is-deduplicated). An unknown property under `dedup` fails
                the start.

                ## Topics and listeners

                Set these for everything (`dedup.defaults.…`), for one topic (`dedup.topics.<topic>.…`) or for one listener
                (`dedup.listeners.<listener>.…`).

                | property | |
                |---|---|
                """);
        properties.forEach((name, property) -> {
            if (name.startsWith(POLICY)) {
                text.append("| `…")
                        .append(name.substring(POLICY.length()))
                        .append("` | ")
                        .append(description(property));
                values(text, property);
                text.append(" |\n");
            }
        });
        text.append("""

                Only for one topic or one listener:

                | property | |
                |---|---|
                | `dedup.topics.<entry>.topic` | The topic's name, if the entry has another name: for names with dots, or in environment variables. |
                | `dedup.topics.<entry>.pattern` | A regular expression instead of a name: the entry applies to all topics whose whole name matches. |
                | `dedup.listeners.<listener>.consumer` | The consumer name within which IDs are unique; the consumer group by default. Changing it forgets windows. |
                | `dedup.listeners.<listener>.consumer-group` | RocketMQ only: the consumer group of the listener bean. |
                | `dedup.listeners.<listener>.max-wait` | Methods with a topic, and advices of Spring Integration: how long a call waits that cannot be decided yet, before it throws. [The default depends on the caller](recipes/any-method.md#how-long-a-call-waits). |
                """);
        properties.keySet().removeIf(name -> name.startsWith(POLICY));
        section(text, "The application", properties, "dedup\\.[^.]+");
        section(
                text,
                "The table (`dedup.store: jdbc` or `tiered`, and mode `transactional`)",
                properties,
                "dedup\\.jdbc\\..*");
        section(text, "Redis (`dedup.store: redis` or `tiered`)", properties, "dedup\\.redis\\..*");
        section(text, "Kafka", properties, "dedup\\.kafka\\..*");
        text.append("""

                ## Requests with an `Idempotency-Key`

                Set these for all paths (`dedup.http.defaults.…`) or for one path (`dedup.http.paths."[/payments]".…`);
                [how they work](recipes/http.md).

                | property | |
                |---|---|
                """);
        properties.forEach((name, property) -> {
            if (name.startsWith(HTTP_POLICY)) {
                text.append("| `…")
                        .append(name.substring(HTTP_POLICY.length()))
                        .append("` | ")
                        .append(description(property));
                values(text, property);
                text.append(" |\n");
            }
        });
        properties.keySet().removeIf(name -> name.startsWith(HTTP_POLICY));
        text.append("""

                Only for one path:

                | property | |
                |---|---|
                | `dedup.http.paths.<entry>.path` | The path pattern, if the entry has another name, such as /payments or /accounts/{id}/transfers. |
                | `dedup.http.paths.<entry>.topic` | The topic name within which keys are unique; the path pattern by default. Changing it forgets windows. |
                | `dedup.http.paths.<entry>.same-effect-as-listeners` | Whether the request handler itself does what the listeners of this consumer and topic do, so that whichever comes first does it. Never set it if the handler publishes a message for them: they would skip it. |
                """);
        text.append("\nFor all of them:\n");
        rows(text, properties, "dedup\\.http\\..*");
        section(text, "Personal data", properties, "dedup\\.privacy\\..*");
        section(text, "Checks at start", properties, "dedup\\.checks\\..*");
        section(text, "Tracing", properties, "dedup\\.tracing\\..*");
        section(text, "The actuator endpoint", properties, "management\\..*");
        assertThat(properties).as("properties without a section").isEmpty();
        return text.toString();
    }

    /** Moves the properties of that name into a section of their own. */
    private static void section(StringBuilder text, String heading, Map<String, JsonNode> properties, String names) {
        text.append("\n## ").append(heading).append('\n');
        rows(text, properties, names);
    }

    private static void rows(StringBuilder text, Map<String, JsonNode> properties, String names) {
        text.append("\n| property | default | |\n|---|---|---|\n");
        properties.keySet().removeIf(name -> {
            if (!name.matches(names)) {
                return false;
            }
            row(text, name, properties.get(name));
            return true;
        });
    }

    private static void row(StringBuilder text, String name, JsonNode property) {
        JsonNode value = property.path("defaultValue");
        text.append("| `").append(name).append("` | ");
        if (!value.isMissingNode()) {
            text.append('`').append(value.asString()).append('`');
        }
        text.append(" | ").append(description(property));
        values(text, property);
        text.append(" |\n");
    }

    private static String description(JsonNode property) {
        return property.get("description").asString().replace("|", "\\|").replaceAll("\\s+", " ");
    }

    private static void values(StringBuilder text, JsonNode property) {
        try {
            Class<?> type = Class.forName(property.get("type").asString());
            if (type.isEnum()) {
                String separator = " One of ";
                for (Object constant : type.getEnumConstants()) {
                    text.append(separator)
                            .append('`')
                            .append(SettingText.of((Enum<?>) constant))
                            .append('`');
                    separator = ", ";
                }
                text.append('.');
            }
        } catch (ClassNotFoundException e) {
            // a generic type, and so no enum
        }
    }

    private static JsonNode metadata() throws IOException {
        try (InputStream in =
                DedupProperties.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            return JsonMapper.builder().build().readTree(in);
        }
    }
}
