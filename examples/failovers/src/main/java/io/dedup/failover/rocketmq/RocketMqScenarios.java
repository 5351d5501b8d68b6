package io.dedup.failover.rocketmq;

import io.dedup.failover.plan.Scenario;
import io.dedup.policy.DedupMode;
import java.util.List;

/** With and without waiting for the slave. */
public final class RocketMqScenarios {
    private RocketMqScenarios() {}

    /** In the order of the report. */
    public static List<Scenario> all() {
        return List.of(
                new RocketMqScenario(true, DedupMode.TRANSACTIONAL),
                new RocketMqScenario(true, DedupMode.LEASED),
                new RocketMqScenario(false, DedupMode.TRANSACTIONAL),
                new RocketMqScenario(false, DedupMode.LEASED));
    }
}
