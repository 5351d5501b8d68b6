package io.dedup.failover.redis;

import io.dedup.failover.plan.Outage;
import io.dedup.store.redis.RedisDedupStoreBuilder;

/** Redis servers to which something is done. */
interface FailingRedis extends AutoCloseable {
    /** Of a store there. */
    RedisDedupStoreBuilder store();

    /** See {@link io.dedup.failover.plan.RunningScenario#failOver}. */
    Outage failOver(int number) throws InterruptedException;

    @Override
    void close();
}
