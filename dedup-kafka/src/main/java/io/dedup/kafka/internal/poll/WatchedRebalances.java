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
    /** Whether they have left shows when they are assigned again, or aren't. */
    private final Set<TopicPartition> undecided = new HashSet<>();
    /** These have left, and the container takes them for its own until it gets them again. */
    private final Set<TopicPartition> unnoticed = new HashSet<>();

    /** @param moves of the consumer, as long as it belongs to a decorated listener; null otherwise */
    WatchedRebalances(ConsumerRebalanceListener next, Supplier<@Nullable PartitionMoves> moves) {
        this.next = next;
        this.moves = moves;
    }

    /** Before the application's listener and what spring-kafka does first: their failure doesn't take back the assignment. */
    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        unnoticed.removeAll(partitions);
        PartitionMoves bound = moves.get();
        if (bound != null) {
            Set<TopicPartition> back = new HashSet<>(partitions);
            back.retainAll(undecided);
            undecided.removeAll(back);
            if (!back.isEmpty()) {
                bound.revoked(back);
            }
            bound.assigned(partitions);
        }
        next.onPartitionsAssigned(partitions);
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        leaving(partitions, () -> next.onPartitionsRevoked(partitions));
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        leaving(partitions, () -> next.onPartitionsLost(partitions));
    }

    /** Of these partitions all but those that have left without the container's notice. */
    Collection<?> withoutUnnoticed(Collection<?> partitions) {
        return unnoticed.isEmpty()
                ? partitions
                : partitions.stream().filter(each -> !unnoticed.contains(each)).toList();
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
                bound.revoked(partitions);
            }
            throw e;
        }
    }
}
