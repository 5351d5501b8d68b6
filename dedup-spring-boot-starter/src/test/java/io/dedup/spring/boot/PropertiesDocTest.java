package io.dedup.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.spring.boot.internal.text.SettingText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The reference of properties is what the metadata say; {@code -Ddedup.docs.write=true} writes it.
 */
class PropertiesDocTest {
    private static final Path FILE = Path.of("../docs/properties.md");
    private static final String POLICY = "dedup.defaults.";

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

    private static String text() throws IOException {
        Map<String, JsonNode> properties = new TreeMap<>();
        metadata()
                .get("properties")
                .forEach(property -> properties.put(property.get("name").asString(), property));
        StringBuilder text = new StringBuilder("""
                # Properties of the Spring Boot starter

                Made from the configuration metadata by a test (`-Ddedup.docs.write=true` writes it). How they work together is in
                the [starter's README](../dedup-spring-boot-starter/README.md). Names are relaxed as everywhere in Spring Boot;
                one that doesn't exist fails the start.

                | property | default | |
                |---|---|---|
                """);
        properties.forEach((name, property) -> {
            if (!name.startsWith(POLICY)) {
                row(text, name, property);
            }
        });
        text.append("""

                ## For all topics, a topic, a listener

                Each of these is there as `dedup.defaults.…`, `dedup.topics.<topic>.…` and `dedup.listeners.<listener>.…`.

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

                Besides:

                | property | |
                |---|---|
                | `dedup.topics.<entry>.topic` | The topic's name, where the entry's own name isn't it: names with dots, or for an environment variable. |
                | `dedup.topics.<entry>.pattern` | A regular expression instead of a name: the entry is for all topics that it matches as a whole. |
                | `dedup.listeners.<listener>.consumer` | The consumer name, within which IDs are unique; the consumer group by default. Changing it forgets windows. |
                | `dedup.listeners.<listener>.consumer-group` | RocketMQ only: the consumer group of the listener bean. |
                """);
        return text.toString();
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
