package io.dedup.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class DedupPropertiesFailureAnalyzerTest {
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(KafkaAutoConfiguration.class, DedupAutoConfiguration.class))
            .withPropertyValues("dedup.store=memory");

    @Test
    @DisplayName("a topic with dots and no brackets: the entry as it has to be written")
    void dots() {
        FailureAnalysis analysis = analysis("dedup.topics.orders.v1.id=key", "dedup.listeners.pay.me.window=1h");
        assertThat(analysis.getDescription())
                .contains("no such settings", "dedup.topics.orders.v1.id", "dedup.listeners.pay.me.window");
        assertThat(analysis.getAction())
                .contains("needs brackets", "dedup.topics.\"[orders.v1]\".id", "dedup.listeners.\"[pay.me]\".window");
    }

    @Test
    @DisplayName("a setting that doesn't exist: where all are listed")
    void unknown() {
        FailureAnalysis analysis = analysis("dedup.topics.orders.idd=key");
        assertThat(analysis.getDescription()).contains("dedup.topics.orders.idd");
        assertThat(analysis.getAction()).startsWith("Correct or remove").contains("docs/properties.md");
    }

    @Test
    @DisplayName("text in place of the settings of a topic: the form that it has to have")
    void text() {
        FailureAnalysis analysis = analysis("dedup.topics.orders=header:order-id");
        assertThat(analysis.getDescription()).contains("dedup.topics.orders is text, but has settings");
        assertThat(analysis.getAction()).contains("dedup.topics.orders: { id: \"header:order-id\", window: 7d }");
    }

    @Test
    @DisplayName("other mistakes, and properties of others, are left to Spring Boot")
    void others() {
        assertThat(analysed("dedup.shutdown-timeout=soon")).isNull();
        assertThat(analysed("spring.kafka.listener.concurrency=many")).isNull();
    }

    private FailureAnalysis analysis(String... properties) {
        FailureAnalysis analysis = analysed(properties);
        assertThat(analysis).isNotNull();
        return analysis;
    }

    private @Nullable FailureAnalysis analysed(String... properties) {
        FailureAnalysis[] analysis = new FailureAnalysis[1];
        runner.withPropertyValues(properties).run(context -> {
            assertThat(context).hasFailed();
            analysis[0] = new DedupPropertiesFailureAnalyzer().analyze(context.getStartupFailure());
        });
        return analysis[0];
    }
}
