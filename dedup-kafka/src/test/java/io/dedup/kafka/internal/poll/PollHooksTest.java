package io.dedup.kafka.internal.poll;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.kafka.core.ConsumerPostProcessor;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;

class PollHooksTest {
    private final PollHooks hooks = new PollHooks(() -> null);

    private static final class Equal extends DefaultKafkaConsumerFactory<String, String> {
        Equal() {
            super(Map.of());
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Equal;
        }

        @Override
        public int hashCode() {
            return 1;
        }
    }

    private static final class Closed extends DefaultKafkaConsumerFactory<String, String> {
        private final List<ConsumerPostProcessor<String, String>> added = new ArrayList<>();

        Closed() {
            super(Map.of());
        }

        @Override
        public void addPostProcessor(ConsumerPostProcessor<String, String> postProcessor) {
            added.add(postProcessor);
        }
    }

    @Test
    @DisplayName("each of two equal factories is hooked, once")
    void equal() {
        List<Equal> factories = List.of(new Equal(), new Equal());
        for (int i = 0; i < 3; i++) {
            factories.forEach(hooks::install);
        }
        assertThat(factories)
                .allSatisfy(factory -> assertThat(factory.getPostProcessors()).hasSize(1));
    }

    @Test
    @DisplayName("a factory that has lost its post-processors is hooked again")
    void removed() {
        Equal factory = new Equal();
        hooks.install(factory);
        assertThat(factory.removePostProcessor(factory.getPostProcessors().get(0)))
                .isTrue();
        hooks.install(factory);
        assertThat(factory.getPostProcessors()).hasSize(1);
    }

    @Test
    @DisplayName("a factory that doesn't show its post-processors is hooked once")
    void closed() {
        Closed factory = new Closed();
        hooks.install(factory);
        hooks.install(factory);
        assertThat(factory.added).hasSize(1);
    }
}
