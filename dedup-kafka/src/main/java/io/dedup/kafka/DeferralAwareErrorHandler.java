package io.dedup.kafka;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.KafkaException;
import org.springframework.kafka.KafkaException.Level;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ListenerUtils;
import org.springframework.kafka.listener.LoggingCommitCallback;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.kafka.support.TopicPartitionOffset;

/**
 * Keeps deferrals away from a container's own error handler, which would count them, give up, and hand the record to a
 * recoverer. Everything else is that one's business, unchanged.
 *
 * <p>A deferral commits what the poll has finished, seeks back to the first record that isn't, pauses the deferred
 * record's partition for a while, and throws: the container then commits nothing beyond. (Returning would mean
 * "handled", and the container would commit the deferred record.)
 */
final class DeferralAwareErrorHandler implements CommonErrorHandler {
    private static final Logger log = LoggerFactory.getLogger(KafkaDedup.class);
    private static final OffsetCommitCallback LOGGING = new LoggingCommitCallback();

    private final CommonErrorHandler delegate;
    private final Decoration decoration;

    DeferralAwareErrorHandler(CommonErrorHandler delegate, Decoration decoration) {
        this.delegate = delegate;
        this.decoration = decoration;
    }

    /** Leaves the delegate's retry loop, which catches exceptions and takes them for another failed attempt. */
    private static final class DeferredInRetry extends Error {
        private static final long serialVersionUID = 1L;

        @SuppressWarnings("serial")
        private final DeliveryDeferredException deferral;

        DeferredInRetry(DeliveryDeferredException deferral) {
            super(deferral.getMessage(), deferral, false, false);
            this.deferral = deferral;
        }
    }

    CommonErrorHandler delegate() {
        return delegate;
    }

    /**
     * A deferral always seeks, whatever the delegate does with failures: otherwise the container would keep the poll's
     * remaining records in memory and stop fetching, for all partitions.
     */
    @Override
    public boolean seeksAfterHandling() {
        return isDeferring() || delegate.seeksAfterHandling();
    }

    @Override
    public void handleRemaining(
            Exception thrown,
            List<ConsumerRecord<?, ?>> records,
            Consumer<?, ?> consumer,
            MessageListenerContainer container) {
        DeliveryDeferredException deferral = DeliveryDeferredException.in(thrown);
        if (deferral != null) {
            seekTo(records, consumer);
            throw settled(deferral, container);
        }
        if (thrown instanceof WakeupException) {
            // The end of a partition's pause woke the consumer a moment too late, in the commit that follows a record.
            // The record is done: when it comes again it is a duplicate, and is committed then.
            seekTo(records, consumer);
            throw new KafkaException("Woken up while committing", Level.DEBUG, thrown);
        }
        delegate.handleRemaining(thrown, records, consumer, container);
    }

    @Override
    public boolean handleOne(
            Exception thrown,
            ConsumerRecord<?, ?> record,
            Consumer<?, ?> consumer,
            MessageListenerContainer container) {
        DeliveryDeferredException deferral = DeliveryDeferredException.in(thrown);
        if (deferral != null || thrown instanceof WakeupException) {
            return false; // not handled: the container keeps it and what follows
        }
        return delegate.handleOne(thrown, record, consumer, container);
    }

    @Override
    public void handleBatch(
            Exception thrown,
            ConsumerRecords<?, ?> data,
            Consumer<?, ?> consumer,
            MessageListenerContainer container,
            Runnable invokeListener) {
        throwIfDeferred(thrown, data, consumer, container);
        try {
            delegate.handleBatch(thrown, data, consumer, container, guarded(invokeListener));
        } catch (DeferredInRetry e) {
            throw backOff(e.deferral, data, consumer, container);
        }
        requireNotSwallowed(data, consumer, container);
    }

    @Override
    public <K, V> ConsumerRecords<K, V> handleBatchAndReturnRemaining(
            Exception thrown,
            ConsumerRecords<?, ?> data,
            Consumer<?, ?> consumer,
            MessageListenerContainer container,
            Runnable invokeListener) {
        throwIfDeferred(thrown, data, consumer, container);
        ConsumerRecords<K, V> remaining;
        try {
            remaining =
                    delegate.handleBatchAndReturnRemaining(thrown, data, consumer, container, guarded(invokeListener));
        } catch (DeferredInRetry e) {
            throw backOff(e.deferral, data, consumer, container);
        }
        requireNotSwallowed(data, consumer, container);
        return remaining;
    }

    private Runnable guarded(Runnable invokeListener) {
        return () -> {
            try {
                invokeListener.run();
            } catch (RuntimeException e) {
                DeliveryDeferredException deferral = DeliveryDeferredException.in(e);
                if (deferral != null) {
                    throw new DeferredInRetry(deferral);
                }
                throw e;
            }
        };
    }

    /** A delegate that catches even errors took the deferral for a failure and went on; nothing may be committed. */
    private void requireNotSwallowed(
            ConsumerRecords<?, ?> data, Consumer<?, ?> consumer, MessageListenerContainer container) {
        if (isDeferring()) {
            decoration.bound().settled();
            log.warn(
                    "{} took a deferral for a failure; the batch of container {} is fetched again",
                    delegate.getClass().getName(),
                    container.getListenerId());
            seekTo(listOf(data), consumer);
            throw new KafkaException("A deferral was taken for a failure", Level.DEBUG, null);
        }
    }

    private void throwIfDeferred(
            Exception thrown, ConsumerRecords<?, ?> data, Consumer<?, ?> consumer, MessageListenerContainer container) {
        DeliveryDeferredException deferral = DeliveryDeferredException.in(thrown);
        if (deferral != null) {
            throw backOff(deferral, data, consumer, container);
        }
    }

    private KafkaException backOff(
            DeliveryDeferredException deferral,
            ConsumerRecords<?, ?> data,
            Consumer<?, ?> consumer,
            MessageListenerContainer container) {
        List<ConsumerRecord<?, ?>> records = listOf(data);
        int finished = 0;
        while (finished < records.size() && !deferral.resumesAt(records.get(finished))) {
            finished++;
        }
        if (finished == records.size()) {
            finished = 0; // not of this poll, as far as can be seen: nothing is known to be finished
        }
        commit(records.subList(0, finished), consumer, container);
        seekTo(records.subList(finished, records.size()), consumer);
        return settled(deferral, container);
    }

    private KafkaException settled(DeliveryDeferredException deferral, MessageListenerContainer container) {
        BoundConsumer bound = decoration.boundOrNull();
        if (bound != null) {
            bound.settled();
        }
        decoration.backOff(deferral, container);
        return new KafkaException(String.valueOf(deferral.getMessage()), Level.DEBUG, deferral);
    }

    private boolean isDeferring() {
        BoundConsumer bound = decoration.boundOrNull();
        return bound != null && bound.deferring();
    }

    private static List<ConsumerRecord<?, ?>> listOf(ConsumerRecords<?, ?> data) {
        List<ConsumerRecord<?, ?>> records = new ArrayList<>(data.count());
        data.forEach(records::add);
        return records;
    }

    private static void seekTo(List<ConsumerRecord<?, ?>> records, Consumer<?, ?> consumer) {
        Map<TopicPartition, Long> firsts = new LinkedHashMap<>();
        records.forEach(record -> firsts.putIfAbsent(PendingDeliveries.partitionOf(record), record.offset()));
        firsts.keySet().retainAll(consumer.assignment()); // a retry loop polls, and partitions may have gone meanwhile
        firsts.forEach(consumer::seek);
    }

    /** A batch listener's container commits whole batches only, so this commits the finished part of one. */
    private static void commit(
            List<ConsumerRecord<?, ?>> finished, Consumer<?, ?> consumer, MessageListenerContainer container) {
        Map<TopicPartition, OffsetAndMetadata> offsets = new LinkedHashMap<>();
        for (ConsumerRecord<?, ?> record : finished) {
            offsets.put(
                    PendingDeliveries.partitionOf(record),
                    ListenerUtils.createOffsetAndMetadata(container, record.offset() + 1));
        }
        offsets.keySet().retainAll(consumer.assignment());
        if (offsets.isEmpty() || container.getGroupId() == null) {
            return;
        }
        ContainerProperties properties = container.getContainerProperties();
        try {
            if (properties.isSyncCommits()) {
                consumer.commitSync(offsets, properties.getSyncCommitTimeout());
            } else {
                OffsetCommitCallback callback = properties.getCommitCallback();
                consumer.commitAsync(offsets, callback == null ? LOGGING : callback);
            }
        } catch (RuntimeException e) {
            // They are done: if they come again they are duplicates. Not seeking would lose the deferred ones.
            log.warn("The offsets before a deferred record couldn't be committed; a later commit covers them", e);
        }
    }

    @Override
    public void handleOtherException(
            Exception thrown, Consumer<?, ?> consumer, MessageListenerContainer container, boolean batchListener) {
        delegate.handleOtherException(thrown, consumer, container, batchListener);
    }

    @Override
    public boolean deliveryAttemptHeader() {
        return delegate.deliveryAttemptHeader();
    }

    @Override
    public int deliveryAttempt(TopicPartitionOffset position) {
        return delegate.deliveryAttempt(position);
    }

    @Override
    public void clearThreadState() {
        delegate.clearThreadState();
    }

    @Override
    public boolean isAckAfterHandle() {
        return delegate.isAckAfterHandle();
    }

    @Override
    public void setAckAfterHandle(boolean ack) {
        delegate.setAckAfterHandle(ack);
    }

    @Override
    public void onPartitionsAssigned(
            Consumer<?, ?> consumer, Collection<TopicPartition> partitions, Runnable publishPause) {
        delegate.onPartitionsAssigned(consumer, partitions, publishPause);
    }
}
