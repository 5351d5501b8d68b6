package io.dedup.spring.boot.internal.text;

import java.util.regex.Pattern;

/**
 * The path of an entry as {@code application.yml} has it: a name with other characters than letters, digits and hyphens
 * needs brackets, or Spring Boot drops them. A listener without an id is called
 * {@code org.springframework.kafka.KafkaListenerEndpointContainer#0}, for example.
 */
public final class YamlPath {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9-]+");

    private YamlPath() {}

    /** The entry of a topic, or of a pattern such as {@code orders-*}. */
    public static String topic(String name) {
        return "dedup.topics." + key(name);
    }

    /** The entry of a listener. */
    public static String listener(String name) {
        return "dedup.listeners." + key(name);
    }

    private static String key(String name) {
        return PLAIN.matcher(name).matches() ? name : "\"[" + name + "]\"";
    }
}
