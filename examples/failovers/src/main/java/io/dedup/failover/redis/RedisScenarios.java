package io.dedup.failover.redis;

import io.dedup.failover.plan.Promise;
import io.dedup.failover.plan.Scenario;
import java.util.List;

/** All scenarios in which Redis fails over, in the order of the report. */
public final class RedisScenarios {
    private RedisScenarios() {}

    public static List<Scenario> all() {
        return List.of(
                new RedisScenario(
                        "redis-sentinel",
                        "Redis primary killed: LEASED",
                        Promise.FORGETS,
                        RedisRecords.LEASED,
                        () -> new SentinelFailover(Fault.KILL, Lag.NONE)),
                new RedisScenario(
                        "redis-sentinel-wait",
                        "Redis primary killed: LEASED, `waitForReplicas(1)`",
                        Promise.FORGETS,
                        RedisRecords.LEASED_CONFIRMED,
                        () -> new SentinelFailover(Fault.KILL, Lag.NONE)),
                new RedisScenario(
                        "redis-sentinel-lag",
                        "Redis primary killed with its replica 1 s behind: LEASED",
                        Promise.FORGETS,
                        RedisRecords.LEASED,
                        () -> new SentinelFailover(Fault.KILL, Lag.SECOND)),
                new RedisScenario(
                        "redis-sentinel-lag-wait",
                        "Redis primary killed with its replica 1 s behind: LEASED, `waitForReplicas(1)`",
                        Promise.FORGETS,
                        RedisRecords.LEASED_CONFIRMED,
                        () -> new SentinelFailover(Fault.KILL, Lag.SECOND)),
                new RedisScenario(
                        "redis-sentinel-lag-tiered",
                        "Redis primary killed with its replica 1 s behind: TIERED",
                        Promise.ONCE,
                        RedisRecords.TIERED,
                        () -> new SentinelFailover(Fault.KILL, Lag.SECOND)),
                new RedisScenario(
                        "redis-sentinel-split",
                        "Redis primary paused: LEASED",
                        Promise.FORGETS,
                        RedisRecords.LEASED,
                        () -> new SentinelFailover(Fault.PAUSE, Lag.NONE)),
                new RedisScenario(
                        "redis-sentinel-split-wait",
                        "Redis primary paused: LEASED, `waitForReplicas(1)`",
                        Promise.FORGETS,
                        RedisRecords.LEASED_CONFIRMED,
                        () -> new SentinelFailover(Fault.PAUSE, Lag.NONE)),
                new RedisScenario(
                        "redis-sentinel-split-tiered",
                        "Redis primary paused: TIERED",
                        Promise.ONCE,
                        RedisRecords.TIERED,
                        () -> new SentinelFailover(Fault.PAUSE, Lag.NONE)),
                new RedisScenario(
                        "redis-cluster",
                        "Redis cluster's master killed: LEASED",
                        Promise.FORGETS,
                        RedisRecords.LEASED,
                        () -> new ClusterFailover(Fault.KILL, Lag.NONE)),
                new RedisScenario(
                        "redis-cluster-lag",
                        "Redis cluster's master killed with its replica 1 s behind: LEASED",
                        Promise.FORGETS,
                        RedisRecords.LEASED,
                        () -> new ClusterFailover(Fault.KILL, Lag.SECOND)),
                new RedisScenario(
                        "redis-cluster-lag-tiered",
                        "Redis cluster's master killed with its replica 1 s behind: TIERED",
                        Promise.ONCE,
                        RedisRecords.TIERED,
                        () -> new ClusterFailover(Fault.KILL, Lag.SECOND)),
                new RedisScenario(
                        "redis-cluster-split",
                        "Redis cluster's master paused: LEASED",
                        Promise.FORGETS,
                        RedisRecords.LEASED,
                        () -> new ClusterFailover(Fault.PAUSE, Lag.NONE)),
                new RedisScenario(
                        "redis-cluster-split-tiered",
                        "Redis cluster's master paused: TIERED",
                        Promise.ONCE,
                        RedisRecords.TIERED,
                        () -> new ClusterFailover(Fault.PAUSE, Lag.NONE)),
                new RedisScenario(
                        "redis-resharding",
                        "Redis cluster, slots move: LEASED",
                        Promise.TOLD,
                        RedisRecords.LEASED,
                        Resharding::new));
    }
}
