package io.dedup.adapter;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class WaitBudgetTest {
    @Test
    void isNeverNegative() {
        WaitBudget budget = WaitBudget.of(Duration.ofNanos(10));
        budget.spend(-5);
        assertThat(budget.nanosLeft()).isEqualTo(10);
        budget.spend(7);
        assertThat(budget.nanosLeft()).isEqualTo(3);
        budget.spend(Long.MAX_VALUE);
        assertThat(budget.nanosLeft()).isZero();
        assertThat(WaitBudget.of(Duration.ofSeconds(-1)).nanosLeft()).isZero();
        assertThat(WaitBudget.none().nanosLeft()).isZero();
    }

    @Test
    void mayBeLongerThanNanosecondsCanSay() {
        assertThat(WaitBudget.of(Duration.ofSeconds(Long.MAX_VALUE)).nanosLeft())
                .isEqualTo(Long.MAX_VALUE);
    }
}
