package io.dedup.kafka.internal.poll;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/**
 * Learns which partitions a consumer gets and loses, whatever the application's own rebalance listener throws. spring-kafka
 * calls that one first, and if it throws, the message listener learns nothing; the partitions have left nevertheless. If
 * what the handler has of them stayed open, records that come back would be taken for copies of it, and the next
 * acknowledgment would complete them unhandled.
 */
final class WatchedRebalances implements ConsumerRebalanceListener {
    private final ConsumerRebalanceListener next;
    private final Supplier<@Nullable PartitionMoves> moves;
    private final Supplier<Set<TopicPartition>> assignment;
    /** Whether they have left shows when the rebalance is over. */
    private final Set<TopicPartition> undecided = new HashSet<>();
    /** These have left, and the container takes them for its own until it gets them again. */
    private final Set<TopicPartition> unnoticed = new HashSet<>();

    /**
     * Wraps the listener that the container subscribes with.
     *
     * @param moves of the consumer, as long as it belongs to a decorated listener; null otherwise
     * @param assignment of the consumer
     */
    WatchedRebalances(
            ConsumerRebalanceListener next,
            Supplier<@Nullable PartitionMoves> moves,
            Supplier<Set<TopicPartition>> assignment) {
        this.next = next;
        this.moves = moves;
        this.assignment = assignment;
    }

    /** Before the application's listener and what spring-kafka does first: their failure doesn't take back the assignment. */
    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        unnoticed.removeAll(partitions);
        PartitionMoves bound = moves.get();
        if (!undecided.isEmpty()) {
            decide(partitions, bound);
        }
        if (bound != null) {
            bound.assigned(partitions);
        }
        next.onPartitionsAssigned(partitions);
    }

    /** What is assigned and isn't new has stayed. Kafka's client calls nobody for the rest. */
    private void decide(Collection<TopicPartition> assigned, @Nullable PartitionMoves bound) {
        Set<TopicPartition> stayed = new HashSet<>(assignment.get());
        stayed.removeAll(assigned);
        Set<TopicPartition> left = new HashSet<>(undecided);
        left.removeAll(stayed);
        undecided.clear();
        unnoticed.addAll(left);
        unnoticed.removeAll(assigned);
        if (bound != null && !left.isEmpty()) {
            bound.leftUnnoticed(left);
        }
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        leaving(partitions, () -> next.onPartitionsRevoked(partitions));
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        leaving(partitions, () -> next.onPartitionsLost(partitions));
    }

    /** Whether this partition has left without the container's notice. */
    boolean isUnnoticed(Object partition) {
        return unnoticed.contains(partition);
    }

    private void leaving(Collection<TopicPartition> partitions, Runnable call) {
        try {
            call.run();
            undecided.removeAll(partitions);
            unnoticed.removeAll(partitions);
        } catch (WakeupException | InterruptException | Error e) {
            undecided.addAll(partitions); // Kafka's client keeps them for now, with their positions
            throw e;
        } catch (Exception e) {
            undecided.removeAll(partitions);
            unnoticed.addAll(partitions);
            PartitionMoves bound = moves.get();
            if (bound != null) {
                bound.leftUnnoticed(partitions);
            }
            throw e;
        }
    }
}
