package io.dedup.spring.boot.internal.plan;

import io.dedup.spring.boot.DedupConfigurationException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;

/**
 * Refuses entries that Spring Boot confuses. It makes an entry for each spelling of a key, but looks up the settings by names without
 * capitals, hyphens and underscores, unless they are in brackets.
 */
public final class EntryKeys {
    private static final List<String> PARENTS =
            List.of("dedup.topics", "dedup.listeners", "dedup.http.paths", "dedup.privacy.result-keys");

    private EntryKeys() {}

    /**
     * Looks at the names of all properties.
     *
     * @throws DedupConfigurationException when an entry would be given settings of another one, or lose some of its own
     */
    public static void requireDistinct(Environment environment) {
        PARENTS.forEach(parent -> requireDistinct(parent, environment));
    }

    private static void requireDistinct(String parent, Environment environment) {
        Map<ConfigurationPropertyName, String> keys = new HashMap<>(); // by what Spring Boot takes for the same name
        entries(ConfigurationPropertyName.of(parent), environment).forEach(name -> {
            String key = name.getLastElement(Form.ORIGINAL);
            String other = keys.putIfAbsent(name, key);
            if (other != null && !other.equals(key)) {
                throw new DedupConfigurationException(
                        parent + " has the entries " + other + " and " + key
                                + ", whose names are the same for Spring Boot: each would be given settings of the other one.",
                        "Write both in brackets wherever they are set: " + parent + ".\"[" + other + "]\" and " + parent
                                + ".\"[" + key
                                + "]\". If they are meant to be one entry, write its name in one way. Names from"
                                + " environment variables have neither capitals nor hyphens.");
            }
        });
    }

    private static Stream<ConfigurationPropertyName> entries(
            ConfigurationPropertyName parent, Environment environment) {
        return StreamSupport.stream(
                        ConfigurationPropertySources.get(environment).spliterator(), false)
                .filter(IterableConfigurationPropertySource.class::isInstance)
                .flatMap(source -> ((IterableConfigurationPropertySource) source).stream())
                .filter(parent::isAncestorOf)
                .map(name -> name.chop(parent.getNumberOfElements() + 1));
    }
}
