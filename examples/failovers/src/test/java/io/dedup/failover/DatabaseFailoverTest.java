package io.dedup.failover;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.failover.count.Count;
import io.dedup.failover.plan.Scenario;
import io.dedup.failover.plan.Size;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("long")
class DatabaseFailoverTest {
    /** One that cuts the replica off, notices the death at once, and moves the address before the promotion. */
    private static final long SEED = 139;

    @Test
    @DisplayName("PostgreSQL with a synchronous replica fails over once: each message takes effect once")
    void postgres() throws Exception {
        Scenario scenario = Scenarios.of("postgres-sync-transactional");
        Count count = new Pass(scenario, new Size(1, 50, SEED), Duration.ofMinutes(2)).run();
        assertThat(count.broken(scenario.promise(), scenario.serverMayLose())).isEmpty();
        assertThat(count.effects()).isEqualTo(count.sent()).isPositive();
    }
}
