package io.dedup.store.redis.internal.server;

import io.dedup.store.redis.internal.connection.ClusterNodes;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * All masters of a cluster that serve slots, provided that they agree on the slots of each, and no slot is being
 * migrated.
 *
 * @param main the connection in use
 */
public record ClusterMasters(RedisClusterClient client, StatefulRedisClusterConnection<byte[], byte[]> main)
        implements RecordServers {
    @Override
    public Snapshot find(ServerQueries queries) {
        client.refreshPartitions();
        List<StatefulRedisConnection<byte[], byte[]>> servers = new ArrayList<>();
        Set<String> asked = new HashSet<>();
        Map<String, String> runIds = new TreeMap<>();
        ClusterView view = null;
        for (RedisClusterNode node : ClusterNodes.serving(client.getPartitions())) {
            StatefulRedisConnection<byte[], byte[]> server = ClusterNodes.connect(main, node);
            ClusterView mine = queries.cluster(server);
            if (mine.slotsOnTheirWay()) {
                throw queries.unclear("slots are being migrated");
            }
            if (view != null && !view.masters().equals(mine.masters())) {
                throw queries.unclear("the nodes disagree on which master serves which slots");
            }
            if (!queries.isClusterOk(server)) {
                throw queries.unclear("a node reports that the cluster is not ok");
            }
            view = mine;
            servers.add(server);
            asked.add(mine.myself());
            runIds.put(mine.myself(), queries.master(server).runId());
        }
        if (view == null || !view.masters().keySet().equals(asked) || view.slots() != SlotHash.SLOT_COUNT) {
            throw queries.unclear("the " + asked.size() + " masters found do not serve all slots");
        }
        return new Snapshot(servers, List.of(view.masters(), runIds), List.of());
    }
}
