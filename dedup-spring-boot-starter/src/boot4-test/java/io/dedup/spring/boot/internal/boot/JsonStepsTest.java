package io.dedup.spring.boot.internal.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.step.StepResultException;
import io.dedup.store.memory.InMemoryDedupStore;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import tools.jackson.databind.json.JsonMapper;

class JsonStepsTest {
    record Charge(String id, int cents) {}

    record OtherCharge(String id) {}

    private final JsonSteps codec = new JsonSteps(new DefaultListableBeanFactory().getBeanProvider(JsonMapper.class));

    @Test
    @DisplayName("a result is kept as JSON; a class that has lost a field is an error, not a result without it")
    void results() {
        try (Deduplicator dedup = Deduplicators.builder(new InMemoryDedupStore())
                .consumer("billing")
                .stepCodec(codec)
                .build()) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> dedup.execute(dedup.key("orders", "o-1"), context -> {
                        context.step("charge", Charge.class, () -> new Charge("ch-1", 42));
                        throw new IllegalStateException("fails after the step");
                    }));

            assertThatExceptionOfType(StepResultException.class)
                    .isThrownBy(() -> dedup.execute(
                            dedup.key("orders", "o-1"),
                            context -> context.step("charge", OtherCharge.class, () -> new OtherCharge("again"))));
            dedup.execute(
                    dedup.key("orders", "o-1"),
                    context -> assertThat(context.step("charge", Charge.class, () -> new Charge("again", 0)))
                            .isEqualTo(new Charge("ch-1", 42)));
        }
    }
}
