package io.dedup.failover.redis;

import io.dedup.failover.plan.Outage;
import io.dedup.store.redis.RedisDedupStore;
import io.dedup.store.redis.RedisDedupStoreBuilder;
import io.dedup.testservers.redis.RedisBinary;
import io.dedup.testservers.redis.RedisSentinels;
import io.dedup.testservers.redis.RedisServer;
import io.dedup.testservers.redis.RedisServers;
import java.util.stream.Collectors;

/** Sentinels promote the replica. A primary that was killed comes back empty, as a replica. */
final class SentinelFailover implements FailingRedis {
    private final Fault fault;
    private final Lag lag;
    private final RedisSentinels servers = RedisServers.startSentinels(RedisBinary.embedded());

    SentinelFailover(Fault fault, Lag lag) {
        this.fault = fault;
        this.lag = lag;
    }

    @Override
    public RedisDedupStoreBuilder store() {
        return RedisDedupStore.builder()
                .uri(servers.sentinels().stream()
                        .map(sentinel -> sentinel.host() + ":" + sentinel.port())
                        .collect(Collectors.joining(",", "redis-sentinel://", "/0#" + servers.masterName())));
    }

    @Override
    public Outage failOver(int number) throws InterruptedException {
        RedisServer old = servers.currentMaster();
        RedisServer successor = servers.currentReplica();
        long forgetsFrom = lag.before(servers::holdReplicaBack);
        long begin = System.currentTimeMillis();
        fault.strike(old);
        lag.after(successor::resume);
        servers.awaitPromotion(successor);
        if (fault == Fault.KILL) {
            servers.startAsReplica(old);
        } else {
            old.resume();
            servers.awaitReplica(old);
        }
        return new Outage(fault.text(), forgetsFrom, begin, System.currentTimeMillis());
    }

    @Override
    public void close() {
        servers.close();
    }
}
