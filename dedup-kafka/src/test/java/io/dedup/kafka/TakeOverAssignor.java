package io.dedup.kafka;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Configurable;
import org.apache.kafka.common.TopicPartition;

/** Gives partition 0 to the member with the highest {@value #RANK}, all others to the one with the lowest. */
public final class TakeOverAssignor implements ConsumerPartitionAssignor, Configurable {
    static final String RANK = "test.rank";

    private int rank;

    static Map<String, Object> ranked(int rank) {
        return Map.of("partition.assignment.strategy", TakeOverAssignor.class.getName(), RANK, rank);
    }

    @Override
    public void configure(Map<String, ?> config) {
        rank = Integer.parseInt(String.valueOf(config.get(RANK)));
    }

    @Override
    public ByteBuffer subscriptionUserData(Set<String> topics) {
        ByteBuffer data = ByteBuffer.allocate(Integer.BYTES);
        data.putInt(0, rank);
        return data;
    }

    @Override
    public GroupAssignment assign(Cluster cluster, GroupSubscription group) {
        Map<String, Subscription> members = group.groupSubscription();
        List<String> ranked = new ArrayList<>(members.keySet());
        ranked.sort(
                Comparator.comparingInt(member -> members.get(member).userData().getInt(0)));
        String lowest = ranked.get(0);
        String highest = ranked.get(ranked.size() - 1);
        Map<String, List<TopicPartition>> parts = new HashMap<>();
        ranked.forEach(member -> parts.put(member, new ArrayList<>()));
        for (String topic : members.get(lowest).topics()) {
            for (int i = 0; i < cluster.partitionCountForTopic(topic); i++) {
                TopicPartition partition = new TopicPartition(topic, i);
                String to = i == 0 ? highest : lowest;
                // Cooperatively: whoever has it gives it up first, and then rejoins.
                if (members.entrySet().stream()
                        .noneMatch(member -> !member.getKey().equals(to)
                                && member.getValue().ownedPartitions().contains(partition))) {
                    parts.get(to).add(partition);
                }
            }
        }
        Map<String, Assignment> assignments = new HashMap<>();
        parts.forEach((member, partitions) -> assignments.put(member, new Assignment(partitions)));
        return new GroupAssignment(assignments);
    }

    @Override
    public List<RebalanceProtocol> supportedProtocols() {
        return List.of(RebalanceProtocol.COOPERATIVE);
    }

    @Override
    public String name() {
        return "take-over";
    }
}
