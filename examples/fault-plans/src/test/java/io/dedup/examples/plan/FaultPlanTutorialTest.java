package io.dedup.examples.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.testkit.plan.FaultPlan;
import io.dedup.testkit.plan.FaultRun;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What docs/fault-plans.md says of its first listener: the plan finds what it loses. */
@Tag("long")
class FaultPlanTutorialTest {
    /** Two kills of a run may both come between two payments. */
    private static final int RUNS = 4;

    @Test
    @DisplayName("a listener that marks a message before its effect loses it when it is killed in between")
    void marksFirst() throws Exception {
        FaultPlan plan = MarkingBookingsPlan.class
                .getDeclaredMethod("eachPaymentIsBookedOnce", FaultRun.class)
                .getAnnotation(FaultPlan.class);
        AssertionError found = null;
        for (int runs = 0; found == null && runs < RUNS; runs++) {
            found = failureOf(plan);
        }
        System.out.println(found);
        assertThat(found)
                .isNotNull()
                .hasMessageContaining("lost: acknowledged without an effect")
                .hasMessageContaining("KILL: process");
    }

    private static @Nullable AssertionError failureOf(FaultPlan plan) throws Exception {
        try (FaultRun run = FaultRun.of(plan.seed(), plan.messages(), plan.times(), plan.faults())) {
            new MarkingBookingsPlan().eachPaymentIsBookedOnce(run);
            return null;
        } catch (AssertionError e) {
            return e;
        }
    }
}
