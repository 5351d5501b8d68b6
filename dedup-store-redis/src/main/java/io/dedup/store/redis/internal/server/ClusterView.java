package io.dedup.store.redis.internal.server;

import io.lettuce.core.cluster.models.partitions.ClusterPartitionParser;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode.NodeFlag;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The answer of a cluster node to {@code CLUSTER NODES}.
 *
 * @param myself the ID of the node that answered
 * @param masters those that serve slots, by ID
 * @param slotsOnTheirWay whether this node is exporting or importing slots; nothing is known about the other nodes
 */
record ClusterView(String myself, Map<String, Master> masters, boolean slotsOnTheirWay) {
    /** {@code [93-<-id]} and {@code [93->-id]} after the slots of the node that answered, which Lettuce omits. */
    private static final Pattern SLOT_ON_ITS_WAY = Pattern.compile(" \\[\\d+-[<>]-");

    /**
     * A master.
     *
     * @param epoch increases whenever a slot changes its owner
     */
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
