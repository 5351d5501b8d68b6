package io.dedup.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
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
    void everyAutoConfigurationHasItsFormerName() {
        ClassLoader loader = getClass().getClassLoader();
        List<String> ours = ImportCandidates.load(AutoConfiguration.class, loader).getCandidates().stream()
                .filter(name -> name.startsWith("io.dedup."))
                .toList();
        assertThat(ours).hasSize(6).allMatch(name -> name.startsWith(PRESENT));
        for (String name : ours) {
            runner.withPropertyValues("spring.autoconfigure.exclude=" + name.replace(PRESENT, FORMER))
                    .run(context -> assertThat(context.getBeansOfType(Class.forName(name)))
                            .isEmpty());
        }
    }
}
