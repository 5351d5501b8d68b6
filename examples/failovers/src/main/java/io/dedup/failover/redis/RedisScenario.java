package io.dedup.failover.redis;

import io.dedup.failover.plan.Promise;
import io.dedup.failover.plan.RunningScenario;
import io.dedup.failover.plan.Scenario;
import java.util.function.Supplier;

/**
 * Consumers whose records are in Redis servers of a kind.
 *
 * @param records what the consumers keep there
 * @param servers starts them
 */
record RedisScenario(String id, String title, Promise promise, RedisRecords records, Supplier<FailingRedis> servers)
        implements Scenario {

    @Override
    public RunningScenario start(long seed) throws Exception {
        return new RedisRun(servers, records);
    }
}
