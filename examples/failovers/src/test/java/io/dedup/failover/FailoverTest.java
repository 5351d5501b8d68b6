package io.dedup.failover;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.failover.count.Count;
import io.dedup.failover.plan.Scenario;
import io.dedup.failover.plan.Size;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The short form: one failover; {@link FailoversMain} is the long one. */
@Tag("long")
class FailoverTest {
    private static final Duration BOUND = Duration.ofMinutes(2);

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES) // servers, on a machine that may be busy
    void redisPrimaryIsKilledWithItsReplicaBehind() throws Exception {
        Scenario scenario = Scenarios.of("redis-sentinel-lag");

        Count count = new Pass(scenario, new Size(1, 100, 1), BOUND).run();

        assertThat(count.broken(scenario.promise(), scenario.serverMayLose())).isEmpty();
        assertThat(count.failovers()).isEqualTo(1);
        assertThat(count.sent()).isGreaterThan(100);
        assertThat(count.effects()).isEqualTo(count.sent() + count.doubled());
    }
}
