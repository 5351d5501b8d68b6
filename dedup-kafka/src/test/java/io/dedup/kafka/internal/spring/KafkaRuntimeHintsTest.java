package io.dedup.kafka.internal.spring;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;

class KafkaRuntimeHintsTest {
    @Test
    @DisplayName("Spring's build of a native image finds the hints, on either line of Spring")
    void found() {
        RuntimeHints hints = new RuntimeHints();
        SpringFactoriesLoader.forResourceLocation("META-INF/spring/aot.factories")
                .load(RuntimeHintsRegistrar.class)
                .stream()
                .filter(KafkaRuntimeHints.class::isInstance)
                .forEach(registrar -> registrar.registerHints(hints, getClass().getClassLoader()));

        assertThat(RuntimeHintsPredicates.reflection().onType(PostProcessors.class))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onType(AbstractMessageListenerContainer.class))
                .accepts(hints);
        assertThat(hints.reflection().typeHints()).hasSize(13);
    }
}
