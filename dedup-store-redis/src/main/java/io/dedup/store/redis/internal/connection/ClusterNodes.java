package io.dedup.store.redis.internal.connection;

import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import java.util.List;

/** The nodes of a cluster that hold records. */
public final class ClusterNodes {
    private ClusterNodes() {}

    /** The masters that serve slots. */
    public static List<RedisClusterNode> serving(Partitions partitions) {
        return partitions.stream()
                .filter(node -> node.getRole().isUpstream() && !node.hasNoSlots())
                .toList();
    }

    /** The node's connection that single commands use as well; opened if need be. */
    public static StatefulRedisConnection<byte[], byte[]> connect(
            StatefulRedisClusterConnection<byte[], byte[]> cluster, RedisClusterNode node) {
        return cluster.getConnection(node.getUri().getHost(), node.getUri().getPort());
    }
}
