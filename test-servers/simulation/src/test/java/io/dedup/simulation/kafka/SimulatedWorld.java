package io.dedup.simulation.kafka;

import static java.util.Objects.requireNonNull;

import io.dedup.simulation.draw.Draws;
import io.dedup.simulation.kafka.SimulatedConsumer.Reset;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Queue;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** A simulated broker without faults. Which partitions the other member takes isn't for the simulation to know: it is given. */
final class SimulatedWorld implements World, SimulatedConsumer.Observer {
    private final SimulatedBroker broker;
    private final Queue<Set<TopicPartition>> taken;
    private @Nullable SimulatedConsumer consumer;

    SimulatedWorld(String topic, int partitions, Collection<Set<TopicPartition>> taken) {
        this.broker = new SimulatedBroker(topic, partitions);
        this.taken = new ArrayDeque<>(taken);
        broker.recreate(); // nothing is committed
    }

    @Override
    public Consumer<String, String> open(Reset reset, GroupProtocol protocol, int maxPollRecords) {
        Trouble none = new Trouble(new Draws(0, Set.of()), EnumSet.noneOf(Trouble.Kind.class));
        consumer = new SimulatedConsumer(broker, none, this, reset, protocol, maxPollRecords);
        return consumer;
    }

    @Override
    public void commitBeginnings() {
        broker.commitBeginnings();
    }

    @Override
    public void append(TopicPartition partition, String value) {
        broker.append(partition.partition(), value, value);
    }

    @Override
    public void gap(TopicPartition partition) {
        broker.gap(partition.partition());
        broker.gap(partition.partition());
    }

    @Override
    public void deleteRecords(TopicPartition partition, long below) {
        broker.deleteRecords(partition, below);
    }

    @Override
    public Set<TopicPartition> otherJoins(Runnable poll) {
        Set<TopicPartition> leaving = taken.remove();
        requireNonNull(consumer).takeAway(leaving);
        while (consumer.assignment().stream().anyMatch(leaving::contains)) {
            poll.run();
        }
        return leaving;
    }

    @Override
    public void otherLeaves() {
        requireNonNull(consumer).giveBack();
    }

    @Override
    public void close() {}

    @Override
    public void step(String step) {}

    @Override
    public void idle() {}

    @Override
    public void polling(int tick) {}

    @Override
    public boolean isDead() {
        return false;
    }

    @Override
    public boolean isInUserCode() {
        return false;
    }

    @Override
    public boolean isTimeSimulated() {
        return false;
    }

    @Override
    public void restart(boolean crash) {}
}
