package io.dedup.spring.boot.docs.plan;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.testkit.plan.FaultPlan;
import io.dedup.testkit.plan.FaultRun;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What docs/fault-plans.md says of its first listener: the plan finds what it loses. */
class FaultPlanTutorialTest {
    @Test
    @Timeout(value = 15, unit = TimeUnit.MINUTES)
    @DisplayName("a listener that marks a message before its effect loses it when it is killed in between")
    void marksFirst() throws Exception {
        FaultPlan plan = MarkingBookingsPlan.class
                .getDeclaredMethod("eachPaymentIsBookedOnce", FaultRun.class)
                .getAnnotation(FaultPlan.class);
        try (FaultRun run = FaultRun.of(plan.seed(), plan.messages(), plan.times(), plan.faults())) {
            assertThatThrownBy(() -> new MarkingBookingsPlan().eachPaymentIsBookedOnce(run))
                    .isInstanceOf(AssertionError.class)
                    .satisfies(failure -> System.out.println(failure.getMessage()))
                    .hasMessageContaining("lost: acknowledged without an effect")
                    .hasMessageContaining("KILL: process");
        }
    }
}
