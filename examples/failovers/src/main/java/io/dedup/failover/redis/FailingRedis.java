package io.dedup.failover.redis;

import io.dedup.failover.plan.Outage;
import io.dedup.store.redis.RedisDedupStoreBuilder;

/** Redis servers that can be made to fail over. */
interface FailingRedis extends AutoCloseable {
    /** A builder of a store on these servers. */
    RedisDedupStoreBuilder store();

    /** See {@link io.dedup.failover.plan.RunningScenario#failOver}. */
    Outage failOver(int number) throws InterruptedException;

    @Override
    void close();
}
