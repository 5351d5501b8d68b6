package io.dedup.failover.kafka;

import io.dedup.failover.load.EffectLog;
import io.dedup.failover.load.Handling;
import io.dedup.failover.load.LeasedHandling;
import io.dedup.failover.load.StorePatience;
import io.dedup.failover.plan.Effect;
import io.dedup.store.redis.RedisDedupStore;
import io.dedup.testservers.redis.RedisServer;
import io.dedup.testservers.redis.RedisServers;
import java.util.List;

/** Mode LEASED on one Redis. */
final class LeasedInRedis implements Records {
    private final RedisServer redis = RedisServers.start();
    private final EffectLog effects = new EffectLog();

    @Override
    public Handling handling(String topic) {
        return new LeasedHandling(
                StorePatience.open(RedisDedupStore.builder().uri(redis.uri())::build), topic, effects);
    }

    @Override
    public List<Effect> effects() {
        return effects.effects();
    }

    @Override
    public void close() {
        redis.close();
    }
}
