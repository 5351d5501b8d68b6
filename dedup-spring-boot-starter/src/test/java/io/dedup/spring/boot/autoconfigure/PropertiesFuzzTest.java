package io.dedup.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.fuzz.Fuzz;
import io.dedup.fuzz.Hostile;
import io.dedup.spring.boot.DedupProperties;
import io.dedup.spring.boot.Logs;
import io.dedup.spring.boot.internal.text.WindowConverter;
import io.dedup.text.Causes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;
import org.springframework.kafka.annotation.KafkaListener;

/** What an operator may have written into a property file. */
class PropertiesFuzzTest {
    private static final String TABLE = "Deduplicated listeners:\n";

    private static final List<String> OF_A_POLICY = List.of(
            "enabled",
            "id",
            "window",
            "mode",
            "lease",
            "max-processing-time",
            "in-flight-wait",
            "max-defer-delay",
            "on-store-failure",
            "on-missing-id",
            "on-conflict",
            "max-deaths",
            "fingerprint",
            "fencing-token",
            "steps",
            "explain-duplicates",
            "sender-header",
            "shadow");
    private static final List<String> OTHERS = List.of(
            "dedup.strict",
            "dedup.store",
            "dedup.shutdown-timeout",
            "dedup.instance",
            "dedup.topics.orders.topic",
            "dedup.topics.orders.pattern",
            "dedup.listeners.billing.consumer",
            "dedup.jdbc.table",
            "dedup.jdbc.initialize-schema",
            "dedup.jdbc.key-format",
            "dedup.jdbc.attempt-retention",
            "dedup.jdbc.lock-timeout",
            "dedup.jdbc.query-timeout",
            "dedup.jdbc.allow-suspension",
            "dedup.jdbc.purge-batch",
            "dedup.jdbc.purge-interval",
            "dedup.redis.url",
            "dedup.redis.namespace",
            "dedup.redis.attempt-retention",
            "dedup.redis.command-timeout",
            "dedup.kafka.claim-ahead",
            "dedup.kafka.coordinates-marked-since",
            "dedup.kafka.max-unfinished-per-partition",
            "dedup.checks.broker-timeout",
            "dedup.checks.refuse-unused",
            "dedup.tracing.link-duplicates");

    private static String name(Hostile input) {
        if (input.once(3)) {
            return input.oneOf(OTHERS);
        }
        return input.oneOf("dedup.defaults.", "dedup.topics.orders.", "dedup.listeners.billing.")
                + input.oneOf(OF_A_POLICY);
    }

    private static String value(Hostile input) {
        return input.oneOf(
                input.text(),
                input.anyText(),
                Long.toString(input.anyLong()),
                input.anyLong() + input.oneOf("ms", "s", "m", "h", "d", "y", "us"),
                input.oneOf(
                        "", " ", "0", "-1", "1s", "10ms", "1d", "forever", "true", "false", "on", "TRUE", "null", "~",
                        "[]"),
                input.oneOf(
                        "leased",
                        "transactional",
                        "tiered",
                        "LEASED_TRANSACTIONAL",
                        "retry",
                        "process",
                        "skip",
                        "fail",
                        "pause"),
                input.oneOf(
                        "key", "header:id", "json:/id", "spel:value", "spel:", "bean:x", "keys", "header:id + key"));
    }

    @Test
    @DisplayName("a value is bound, or refused with the name of its property")
    void bound() {
        ApplicationConversionService conversions = new ApplicationConversionService();
        conversions.addConverter(new WindowConverter());
        Fuzz.check("values of properties", 2_000, input -> {
            String name = name(input);
            ConfigurationPropertySource source = new MapConfigurationPropertySource(Map.of(name, value(input)));
            Binder binder = new Binder(List.of(source), PlaceholdersResolver.NONE, conversions, null, null, null);
            try {
                Object unused = binder.bindOrCreate("dedup", DedupProperties.class);
            } catch (BindException e) {
                assertThat(
                                e.getProperty() == null
                                        ? e.getName().toString()
                                        : e.getProperty().getName().toString())
                        .isEqualTo(name);
            }
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class Listeners {
        @Bean
        Orders orders() {
            return new Orders();
        }
    }

    static class Orders {
        @KafkaListener(id = "billing", topics = "orders")
        void on(String order) {}
    }

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    KafkaAutoConfiguration.class, DedupAutoConfiguration.class, KafkaDedupAutoConfiguration.class))
            .withUserConfiguration(Listeners.class);

    @Test
    @DisplayName("an application with hostile properties starts, or says which property is wrong, and logs whole lines")
    void started() {
        Fuzz.check("applications with hostile properties", 20, 1_000, input -> {
            Map<String, Object> properties = new HashMap<>(Map.of(
                    "dedup.topics.orders.id", "key",
                    "dedup.store", "memory",
                    "dedup.checks.broker", "false",
                    "spring.kafka.listener.auto-startup", "false"));
            int changes = 1 + input.below(2);
            for (int i = 0; i < changes; i++) {
                properties.put(name(input), value(input));
            }
            try (Logs logs = new Logs()) {
                runner.withInitializer(context -> context.getEnvironment()
                                .getPropertySources()
                                .addFirst(new MapPropertySource("hostile", properties)))
                        .run(context -> {
                            if (context.getStartupFailure() != null) {
                                assertThat(messages(context.getStartupFailure()))
                                        .as("%s", properties)
                                        .contains("dedup.");
                            }
                        });
                logs.messages().forEach(PropertiesFuzzTest::requireLogLines);
            }
        });
    }

    /** The table of listeners has lines of its own: its title, its heads, and one for the only listener. */
    private static void requireLogLines(String message) {
        List<String> lines = message.startsWith(TABLE) ? List.of(message.split("\n", -1)) : List.of(message);
        assertThat(lines).as(message).hasSizeLessThanOrEqualTo(3);
        lines.forEach(Fuzz::requireLogLine);
    }

    private static String messages(Throwable failure) {
        return Causes.of(failure).stream().map(String::valueOf).collect(Collectors.joining("; "));
    }
}
