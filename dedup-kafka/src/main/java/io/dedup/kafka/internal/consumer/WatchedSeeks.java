package io.dedup.kafka.internal.consumer;

import io.dedup.kafka.internal.ack.SoughtBack;
import io.dedup.kafka.internal.poll.SeekTargets;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.ConsumerSeekAware.ConsumerSeekCallback;

/**
 * The callback that a container passes to its listener, as user code gets it. The container seeks later, before its next
 * poll; what a listener's call has asked for must be known when it returns. So a target that isn't an offset is found out at
 * once, and the container is given the offset: it might compute another one later, from a position that was moved since.
 *
 * <p>Where the target cannot be found out, or on another thread, the beginning stands for it: a record that is handled twice is
 * better than a lost one. Thread-safe.
 */
final class WatchedSeeks implements ConsumerSeekCallback {
    private static final long BEGINNING = 0;

    private final ConsumerSeekCallback container;
    private final SeekTargets targets;
    private final SoughtBack soughtBack;
    private final Thread consumer = Thread.currentThread();

    /** Called on the consumer's thread. */
    WatchedSeeks(ConsumerSeekCallback container, SeekTargets targets, SoughtBack soughtBack) {
        this.container = container;
        this.targets = targets;
        this.soughtBack = soughtBack;
    }

    private boolean mayAsk() {
        return Thread.currentThread() == consumer && soughtBack.isWatching();
    }

    private void back(TopicPartition partition, long offset) {
        if (Thread.currentThread() == consumer) {
            soughtBack.sought(partition, offset);
        } else {
            soughtBack.soughtElsewhere(partition, offset);
        }
    }

    /** @param asked asks the container for a seek to a target that isn't known */
    private void seek(TopicPartition partition, @Nullable Long target, Runnable asked) {
        if (target == null) {
            back(partition, BEGINNING);
            asked.run();
        } else {
            seek(partition.topic(), partition.partition(), target);
        }
    }

    @Override
    public @Nullable String getGroupId() {
        return container.getGroupId();
    }

    @Override
    public void seek(String topic, int partition, long offset) {
        back(new TopicPartition(topic, partition), offset);
        container.seek(topic, partition, offset);
    }

    @Override
    public void seek(String topic, int partition, Function<Long, Long> offsetComputeFunction) {
        TopicPartition id = new TopicPartition(topic, partition);
        SeekTargets.Computed computed = mayAsk() ? targets.computed(id, offsetComputeFunction) : null;
        back(id, computed == null ? BEGINNING : computed.target());
        // Still a function: the container asks for the position then, which is moved back first to what it has dropped.
        container.seek(topic, partition, computed == null ? offsetComputeFunction : computed::from);
    }

    @Override
    public void seekToBeginning(String topic, int partition) {
        back(new TopicPartition(topic, partition), BEGINNING);
        container.seekToBeginning(topic, partition);
    }

    @Override
    public void seekToBeginning(Collection<TopicPartition> partitions) {
        partitions.forEach(partition -> back(partition, BEGINNING));
        container.seekToBeginning(partitions);
    }

    @Override
    public void seekToEnd(String topic, int partition) {
        container.seekToEnd(topic, partition);
    }

    @Override
    public void seekToEnd(Collection<TopicPartition> partitions) {
        container.seekToEnd(partitions);
    }

    /** One back from the position is one back for the listener, which is at a record of the poll: the position is beyond. */
    @Override
    public void seekRelative(String topic, int partition, long offset, boolean toCurrent) {
        TopicPartition id = new TopicPartition(topic, partition);
        if (!toCurrent) {
            Long target = mayAsk() ? fromAnEnd(id, offset) : null;
            seek(id, target, () -> container.seekRelative(topic, partition, offset, false));
            return;
        }
        if (offset < 0) {
            back(id, BEGINNING);
        }
        container.seekRelative(topic, partition, offset, true);
    }

    private @Nullable Long fromAnEnd(TopicPartition partition, long offset) {
        return offset < 0 ? targets.fromEnd(partition, offset) : targets.fromBeginning(partition, offset);
    }

    @Override
    public void seekToTimestamp(String topic, int partition, long timestamp) {
        seekToTimestamp(List.of(new TopicPartition(topic, partition)), timestamp);
    }

    @Override
    public void seekToTimestamp(Collection<TopicPartition> partitions, long timestamp) {
        Map<TopicPartition, Long> offsets = mayAsk() ? targets.at(partitions, timestamp) : null;
        if (offsets == null) {
            partitions.forEach(partition -> back(partition, BEGINNING));
            container.seekToTimestamp(partitions, timestamp);
        } else {
            offsets.forEach((partition, offset) -> seek(partition.topic(), partition.partition(), offset));
        }
    }
}
