package io.dedup.simulation.kafka;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Who has which partition: one of the consumers of a process, or the group's other member, which handles nothing, commits nothing, and
 * gives back what it has taken away. A consumer learns of what has changed in its next poll. Used by one thread at a time.
 */
final class SimulatedGroup {
    private static final int POLLS_KEPT = 5;

    private final SimulatedBroker broker;
    private final Trouble trouble;
    private final List<SimulatedConsumer> members = new ArrayList<>();
    private final Map<TopicPartition, SimulatedConsumer> owners = new LinkedHashMap<>();
    /** Partitions that the other member has, and the number of polls until it gives them back. */
    private final Map<TopicPartition, Integer> elsewhere = new TreeMap<>((a, b) -> a.partition() - b.partition());
    /** What was committed at the last polls: retention deletes what is old, not what was committed a moment ago. */
    private final Deque<Map<TopicPartition, Long>> committedBefore = new ArrayDeque<>();

    private String topic;
    private int generation;

    SimulatedGroup(SimulatedBroker broker, Trouble trouble) {
        this.broker = broker;
        this.trouble = trouble;
        this.topic = broker.topic();
    }

    void add(SimulatedConsumer member) {
        members.add(member);
    }

    /** What it consumes. */
    void topic(String name) {
        topic = name;
        broker.make(name);
    }

    List<TopicPartition> partitions() {
        return broker.partitions(topic);
    }

    int generation() {
        return generation;
    }

    void nextGeneration() {
        broker.generation(++generation);
    }

    /** A consumer polls for the first time. */
    void join(SimulatedConsumer member) {
        if (members.stream().noneMatch(each -> each != member && each.isInGroup())) {
            nextGeneration();
            share(partitions());
        }
    }

    /** The members' own these are from now on, each one member's. */
    void share(Collection<TopicPartition> partitions) {
        for (TopicPartition each : partitions) {
            elsewhere.remove(each);
            int to = members.size() == 1 ? 0 : trouble.below(members.size(), "whose " + each + " is in " + generation);
            owners.put(each, members.get(to));
        }
    }

    /** The other members get what this one has, which may not know that yet. */
    void expel(SimulatedConsumer member) {
        nextGeneration();
        share(ofOwner(member));
    }

    /** A member is closed. */
    void leave(SimulatedConsumer member) {
        members.remove(member);
        if (!members.isEmpty()) {
            expel(member);
        }
    }

    /** The other member takes this one for so many polls. */
    void takeAway(TopicPartition partition, int polls) {
        owners.remove(partition);
        elsewhere.put(partition, polls);
    }

    /** The next poll begins a rebalance that gives back what is elsewhere. */
    void giveBack() {
        elsewhere.replaceAll((partition, polls) -> 0);
    }

    /** Another poll: what the other member gives back now. */
    List<TopicPartition> back() {
        List<TopicPartition> back = new ArrayList<>();
        elsewhere.replaceAll((partition, polls) -> polls - 1);
        elsewhere.forEach((partition, polls) -> {
            if (polls <= 0 || trouble.isOver()) {
                back.add(partition);
            }
        });
        return back;
    }

    /** Partitions of members. */
    List<TopicPartition> owned() {
        return List.copyOf(owners.keySet());
    }

    List<TopicPartition> ofOwner(SimulatedConsumer member) {
        return owned().stream().filter(each -> owners.get(each) == member).toList();
    }

    /** Whether all members that are in the group know of its last generation. */
    boolean hasMet() {
        return members.stream().allMatch(each -> !each.isInGroup() || each.generation() == generation);
    }

    /** Whether another member still has it, and doesn't know that it isn't its own any more. */
    boolean isHeldByAnother(TopicPartition partition, SimulatedConsumer than) {
        return members.stream()
                .anyMatch(each ->
                        each != than && each.isInGroup() && each.assignment().contains(partition));
    }

    boolean isWhole() {
        return elsewhere.isEmpty();
    }

    /** Another poll that counts. */
    void tick() {
        committedBefore.addLast(broker.committed());
        if (committedBefore.size() > POLLS_KEPT * members.size()) {
            committedBefore.removeFirst();
        }
    }

    /** What was committed a while ago. */
    Map<TopicPartition, Long> oldCommits() {
        return committedBefore.isEmpty() ? Map.of() : committedBefore.getFirst();
    }

    /** Where a partition is being read; null if nowhere. */
    @Nullable
    Long position(TopicPartition partition) {
        Long least = null;
        for (SimulatedConsumer each : members) {
            Long position = each.knownPosition(partition);
            if (position != null && (least == null || position < least)) {
                least = position;
            }
        }
        return least;
    }

    void recreated() {
        committedBefore.clear();
        members.forEach(SimulatedConsumer::recreated);
    }
}
