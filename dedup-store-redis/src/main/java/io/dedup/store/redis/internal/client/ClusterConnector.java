package io.dedup.store.redis.internal.client;

import io.dedup.store.redis.internal.connection.ClusterLink;
import io.dedup.store.redis.internal.connection.ClusterNodes;
import io.dedup.store.redis.internal.server.ClusterMasters;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.util.List;

/**
 * Connects to every master of a cluster.
 *
 * @param seeds where the cluster was looked for; empty where the client knows
 */
record ClusterConnector(RedisClusterClient client, List<RedisURI> seeds, OpenConnections opened)
        implements RedisConnector {
    @Override
    public RedisLinks open() {
        try {
            StatefulRedisClusterConnection<byte[], byte[]> main = connect();
            StatefulRedisClusterConnection<byte[], byte[]> heartbeat = connect();
            masters(heartbeat); // opens them: a command doesn't wait for it
            return new RedisLinks(
                    where(),
                    new ClusterLink(main),
                    new ClusterLink(heartbeat),
                    masters(main),
                    new ClusterMasters(client, main),
                    opened);
        } catch (RuntimeException | LinkageError e) {
            opened.closeAfter(e);
            throw e;
        }
    }

    private StatefulRedisClusterConnection<byte[], byte[]> connect() {
        return opened.add(client.connect(ByteArrayCodec.INSTANCE));
    }

    private static List<StatefulRedisConnection<byte[], byte[]>> masters(
            StatefulRedisClusterConnection<byte[], byte[]> cluster) {
        return ClusterNodes.serving(cluster.getPartitions()).stream()
                .map(node -> ClusterNodes.connect(cluster, node))
                .toList();
    }

    @Override
    public String where() {
        return "cluster " + (seeds.isEmpty() ? "of the given clusterClient" : RedisUris.where(seeds));
    }
}
