package io.dedup.failover.rocketmq;

import io.dedup.failover.plan.Promise;
import io.dedup.failover.plan.RunningScenario;
import io.dedup.failover.plan.Scenario;
import io.dedup.policy.DedupMode;
import java.util.Locale;

/**
 * A broker that fails over beneath push consumers, whose records are in a PostgreSQL that doesn't.
 *
 * @param synchronous whether a message is confirmed when the slave has it, and both have it on their disks
 */
record RocketMqScenario(boolean synchronous, DedupMode mode) implements Scenario {

    @Override
    public String id() {
        return "rocketmq-" + (synchronous ? "sync-" : "async-") + mode.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public String title() {
        return "RocketMQ, " + (synchronous ? "synchronous, " : "asynchronous, ") + mode;
    }

    @Override
    public Promise promise() {
        return mode == DedupMode.LEASED ? Promise.TOLD : Promise.ONCE;
    }

    @Override
    public boolean serverMayLose() {
        return !synchronous;
    }

    @Override
    public RunningScenario start(long seed) throws Exception {
        return new RocketMqRun(this, seed);
    }
}
