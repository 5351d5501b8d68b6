package io.dedup.kafka.internal.consumer;

import io.dedup.kafka.internal.ack.SoughtBack;
import java.util.Collection;
import java.util.function.Function;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.ConsumerSeekAware.ConsumerSeekCallback;

/**
 * The callback that a container passes to its listener, as user code gets it. The container seeks later, before its next
 * poll; what a listener's call has asked for must be known when it returns. Where the target isn't known yet, the beginning
 * stands for it: a record that is handled twice is better than a lost one. Thread-safe.
 */
final class WatchedSeeks implements ConsumerSeekCallback {
    private static final long BEGINNING = 0;

    private final ConsumerSeekCallback container;
    private final SoughtBack soughtBack;
    private final Thread consumer = Thread.currentThread();

    /** Called on the consumer's thread. */
    WatchedSeeks(ConsumerSeekCallback container, SoughtBack soughtBack) {
        this.container = container;
        this.soughtBack = soughtBack;
    }

    private void back(String topic, int partition, long offset) {
        back(new TopicPartition(topic, partition), offset);
    }

    private void back(TopicPartition partition, long offset) {
        if (Thread.currentThread() == consumer) {
            soughtBack.sought(partition, offset);
        } else {
            soughtBack.soughtElsewhere(partition, offset);
        }
    }

    @Override
    public @Nullable String getGroupId() {
        return container.getGroupId();
    }

    @Override
    public void seek(String topic, int partition, long offset) {
        back(topic, partition, offset);
        container.seek(topic, partition, offset);
    }

    @Override
    public void seek(String topic, int partition, Function<Long, Long> offsetComputeFunction) {
        back(topic, partition, BEGINNING);
        container.seek(topic, partition, offsetComputeFunction);
    }

    @Override
    public void seekToBeginning(String topic, int partition) {
        back(topic, partition, BEGINNING);
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

    @Override
    public void seekRelative(String topic, int partition, long offset, boolean toCurrent) {
        if (offset < 0) {
            back(topic, partition, BEGINNING);
        } else if (!toCurrent) {
            back(topic, partition, offset); // from the log's beginning, which is 0 or above
        }
        container.seekRelative(topic, partition, offset, toCurrent);
    }

    @Override
    public void seekToTimestamp(String topic, int partition, long timestamp) {
        back(topic, partition, BEGINNING);
        container.seekToTimestamp(topic, partition, timestamp);
    }

    @Override
    public void seekToTimestamp(Collection<TopicPartition> partitions, long timestamp) {
        partitions.forEach(partition -> back(partition, BEGINNING));
        container.seekToTimestamp(partitions, timestamp);
    }
}
