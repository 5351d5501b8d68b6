package io.dedup.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

/** Applications exclude auto-configurations by name, and some by the names that they had in io.dedup.spring.boot. */
class FormerNamesTest {
    private static final String FORMER = "io.dedup.spring.boot.";
    private static final String PRESENT = "io.dedup.spring.boot.autoconfigure.";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withUserConfiguration(App.class)
            .withPropertyValues("dedup.store=memory", "spring.kafka.listener.auto-startup=false");

    /** They had no other name. */
    private static final Set<String> NEW = Set.of(
            "DedupMethodAutoConfiguration",
            "HttpDedupAutoConfiguration",
            "IntegrationDedupAutoConfiguration",
            "KafkaInboundDedupAutoConfiguration",
            "RocketMqSpringDedupAutoConfiguration",
            "RocketMqV5SpringDedupAutoConfiguration",
            "StreamDedupAutoConfiguration");

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class App {}

    @Test
    void excludesByTheFormerName() {
        for (String name : List.of("KafkaDedupAutoConfiguration", "RocketMqDedupAutoConfiguration")) {
            for (String prefix : List.of(FORMER, PRESENT)) {
                runner.withPropertyValues("spring.autoconfigure.exclude=" + prefix + name)
                        .run(context ->
                                assertThat(context).hasNotFailed().doesNotHaveBean(Class.forName(PRESENT + name)));
            }
            runner.run(context -> assertThat(context).hasNotFailed().hasSingleBean(Class.forName(PRESENT + name)));
        }
    }

    @Test
    void everyAutoConfigurationHasItsFormerName() throws IOException {
        Properties replacements = new Properties();
        try (InputStream file = getClass()
                .getResourceAsStream("/META-INF/spring/" + AutoConfiguration.class.getName() + ".replacements")) {
            replacements.load(file);
        }
        List<String> ours =
                ImportCandidates.load(AutoConfiguration.class, getClass().getClassLoader()).getCandidates().stream()
                        .filter(name -> name.startsWith(PRESENT))
                        .filter(name -> !NEW.contains(name.substring(PRESENT.length())))
                        .toList();
        assertThat(ours).hasSize(6);
        assertThat(replacements.values()).containsExactlyInAnyOrderElementsOf(ours);
        assertThat(replacements)
                .allSatisfy((former, present) ->
                        assertThat(former).isEqualTo(present.toString().replace(PRESENT, FORMER)));
    }
}
