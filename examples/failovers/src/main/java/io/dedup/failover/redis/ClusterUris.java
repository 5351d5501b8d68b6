package io.dedup.failover.redis;

import io.dedup.testservers.redis.RedisCluster;
import io.lettuce.core.RedisURI;
import java.util.List;

/** The addresses of a cluster's nodes as the store wants them. */
final class ClusterUris {
    private ClusterUris() {}

    static List<RedisURI> of(RedisCluster servers) {
        return servers.uris().stream().map(RedisURI::create).toList();
    }
}
