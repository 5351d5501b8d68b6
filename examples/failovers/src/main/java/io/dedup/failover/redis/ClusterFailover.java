package io.dedup.failover.redis;

import io.dedup.failover.plan.Outage;
import io.dedup.store.redis.RedisDedupStore;
import io.dedup.store.redis.RedisDedupStoreBuilder;
import io.dedup.testservers.redis.RedisBinary;
import io.dedup.testservers.redis.RedisCluster;
import io.dedup.testservers.redis.RedisServer;
import io.dedup.testservers.redis.RedisServers;

/** A cluster's masters fail one after the other; their replicas are elected, and they come back as replicas. */
final class ClusterFailover implements FailingRedis {
    private final Fault fault;
    private final Lag lag;
    private final RedisCluster servers = RedisServers.startReplicatedCluster(RedisBinary.embedded());

    ClusterFailover(Fault fault, Lag lag) {
        this.fault = fault;
        this.lag = lag;
    }

    @Override
    public RedisDedupStoreBuilder store() {
        return RedisDedupStore.builder().clusterUris(ClusterUris.of(servers));
    }

    @Override
    public Outage failOver(int number) throws InterruptedException {
        int pair = number % servers.masters().size();
        RedisServer old = servers.currentMaster(pair);
        RedisServer successor = servers.currentReplica(pair);
        long forgetsFrom = lag.before(() -> servers.holdReplicaBack(pair));
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
