package io.dedup.store.redis.internal.server;

import io.lettuce.core.cluster.models.partitions.ClusterPartitionParser;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode.NodeFlag;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * What a node of a cluster answers to {@code CLUSTER NODES}.
 *
 * @param myself the ID of the node that was asked
 * @param masters those that serve slots, by ID
 * @param slotsOnTheirWay whether the node that was asked is giving slots away or getting them; it tells of no other's
 */
record ClusterView(String myself, Map<String, Master> masters, boolean slotsOnTheirWay) {
    /** {@code [93-<-id]} and {@code [93->-id]} behind the slots of the node that was asked, which Lettuce leaves out. */
    private static final Pattern SLOT_ON_ITS_WAY = Pattern.compile(" \\[\\d+-[<>]-");

    /** @param epoch every change of a slot's owner raises it */
    record Master(long epoch, List<Integer> slots) {}

    static ClusterView parse(String nodes) {
        String myself = "";
        Map<String, Master> masters = new TreeMap<>();
        for (RedisClusterNode node : ClusterPartitionParser.parse(nodes)) {
            if (node.is(NodeFlag.MYSELF)) {
                myself = node.getNodeId();
            }
            if (!node.hasNoSlots()) {
                masters.put(node.getNodeId(), new Master(node.getConfigEpoch(), node.getSlots()));
            }
        }
        return new ClusterView(myself, masters, SLOT_ON_ITS_WAY.matcher(nodes).find());
    }

    /** How many slots the masters serve together. */
    long slots() {
        return masters.values().stream()
                .flatMap(master -> master.slots().stream())
                .distinct()
                .count();
    }
}
