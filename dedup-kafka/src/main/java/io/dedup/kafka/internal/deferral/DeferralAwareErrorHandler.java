package io.dedup.kafka.internal.deferral;

import io.dedup.kafka.exception.DeliveryDeferredException;
import io.dedup.kafka.internal.KafkaLog;
import io.dedup.kafka.internal.ack.Redeliveries;
import io.dedup.kafka.internal.consumer.BoundConsumer;
import io.dedup.kafka.internal.consumer.BoundConsumers;
import io.dedup.kafka.internal.deferral.RetriedListener.LeaveRetry;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.KafkaException;
import org.springframework.kafka.KafkaException.Level;
import org.springframework.kafka.listener.CommonErrorHandler;
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
public final class DeferralAwareErrorHandler implements CommonErrorHandler {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);

    private final CommonErrorHandler delegate;
    private final BoundConsumers consumers;
    private final DeferralBackOff backOff;
    private final boolean endsLater;

    /** @param endsLater whether records may be unfinished when the listener returns */
    public DeferralAwareErrorHandler(
            CommonErrorHandler delegate, BoundConsumers consumers, DeferralBackOff backOff, boolean endsLater) {
        this.delegate = delegate;
        this.consumers = consumers;
        this.backOff = backOff;
        this.endsLater = endsLater;
    }

    public CommonErrorHandler delegate() {
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
        DeliveryDeferredException deferral = Deferrals.in(thrown);
        if (deferral != null) {
            PollOffsets.seekTo(records, consumer);
            throw settled(deferral, container);
        }
        if (thrown instanceof WakeupException) {
            // The end of a partition's pause woke the consumer a moment too late, in the commit that follows a record.
            // The record is done: when it comes again it is a duplicate, and is committed then.
            PollOffsets.seekTo(records, consumer);
            throw new KafkaException("Woken up while committing", Level.DEBUG, thrown);
        }
        if (records.isEmpty()) {
            delegate.handleRemaining(thrown, records, consumer, container);
            return;
        }
        ConsumerRecord<?, ?> first = records.get(0);
        if (!endsLater()) {
            delegate.handleRemaining(thrown, records, consumer, container);
            recovered(List.of(first));
            return;
        }
        Redeliveries redeliveries = consumers.current().redeliveries();
        if (redeliveries.mustWait(first)) {
            PollOffsets.seekTo(records, consumer);
            throw settled(Deferrals.untilBelowIsFinished(first, thrown), container);
        }
        redeliveries.handedOver(first);
        delegate.handleRemaining(thrown, records, consumer, container);
        redeliveries.recovered(first);
        recovered(List.of(first));
    }

    /** The delegate has settled these, and the container commits them. */
    private void recovered(List<? extends ConsumerRecord<?, ?>> records) {
        BoundConsumer bound = consumers.currentOrNull();
        if (bound != null) {
            bound.outstanding().finished(records);
        }
    }

    /**
     * Whether records of this consumer may be unfinished below the one that is handled. The container commits the offset of a
     * record that the delegate has recovered.
     */
    private boolean endsLater() {
        return endsLater && consumers.currentOrNull() != null;
    }

    @Override
    public boolean handleOne(
            Exception thrown,
            ConsumerRecord<?, ?> record,
            Consumer<?, ?> consumer,
            MessageListenerContainer container) {
        DeliveryDeferredException deferral = Deferrals.in(thrown);
        if (deferral != null || thrown instanceof WakeupException) {
            return false; // not handled: the container keeps it and what follows
        }
        boolean handled;
        if (endsLater()) {
            Redeliveries redeliveries = consumers.current().redeliveries();
            if (redeliveries.mustWait(record)) {
                return false;
            }
            redeliveries.handedOver(record);
            handled = delegate.handleOne(thrown, record, consumer, container);
            if (handled) {
                redeliveries.recovered(record);
            }
        } else {
            handled = delegate.handleOne(thrown, record, consumer, container);
        }
        if (handled) {
            recovered(List.of(record));
        }
        return handled;
    }

    @Override
    public void handleBatch(
            Exception thrown,
            ConsumerRecords<?, ?> data,
            Consumer<?, ?> consumer,
            MessageListenerContainer container,
            Runnable invokeListener) {
        throwIfDeferred(thrown, data, consumer, container);
        RetriedListener guarded = new RetriedListener(consumers, invokeListener);
        try {
            holding(() -> {
                delegate.handleBatch(thrown, data, consumer, container, guarded);
                return guarded;
            });
        } catch (LeaveRetry e) {
            handleBatch(e.thrown(), data, consumer, container, invokeListener);
            return;
        }
        requireNotSwallowed(guarded, data, consumer, container);
        requireRestKept(thrown, data, ConsumerRecords.empty(), consumer, container);
        recovered(PollOffsets.listOf(data));
    }

    @Override
    public <K, V> ConsumerRecords<K, V> handleBatchAndReturnRemaining(
            Exception thrown,
            ConsumerRecords<?, ?> data,
            Consumer<?, ?> consumer,
            MessageListenerContainer container,
            Runnable invokeListener) {
        throwIfDeferred(thrown, data, consumer, container);
        RetriedListener guarded = new RetriedListener(consumers, invokeListener);
        ConsumerRecords<K, V> remaining;
        try {
            remaining =
                    holding(() -> delegate.handleBatchAndReturnRemaining(thrown, data, consumer, container, guarded));
        } catch (LeaveRetry e) {
            return handleBatchAndReturnRemaining(e.thrown(), data, consumer, container, invokeListener);
        }
        requireNotSwallowed(guarded, data, consumer, container);
        requireRestKept(thrown, data, remaining, consumer, container);
        if (remaining == null || remaining.isEmpty()) {
            recovered(PollOffsets.listOf(data));
        }
        return remaining == null ? remaining : PollOffsets.inOrderOf(data, remaining);
    }

    /** Calls the delegate, which holds the records meanwhile, and may poll. */
    private <T> T holding(Supplier<T> handling) {
        BoundConsumer bound = consumers.currentOrNull();
        if (bound == null) {
            return handling.get();
        }
        return bound.watched().holding(handling);
    }

    /** A delegate that catches even errors took the deferral for a failure and went on; nothing may be committed. */
    private void requireNotSwallowed(
            RetriedListener guarded,
            ConsumerRecords<?, ?> data,
            Consumer<?, ?> consumer,
            MessageListenerContainer container) {
        if (isDeferring() || guarded.left()) {
            consumers.current().deferred().arrived();
            log.warn(
                    "{} took a deferral for a failure; the batch of container {} is fetched again",
                    delegate.getClass().getName(),
                    container.getListenerId());
            PollOffsets.seekTo(PollOffsets.listOf(data), consumer);
            throw new KafkaException("A deferral was taken for a failure", Level.DEBUG, null);
        }
    }

    /**
     * A delegate that knows no failures of single records, such as one that only logs, has done with the whole poll when
     * one of its records fails. The listener wasn't given what is behind that one, or hasn't come to it.
     */
    private void requireRestKept(
            Exception thrown,
            ConsumerRecords<?, ?> data,
            @Nullable ConsumerRecords<?, ?> remaining,
            Consumer<?, ?> consumer,
            MessageListenerContainer container) {
        RecordFailedException failed = RecordFailedException.in(thrown);
        ConsumerRecord<?, ?> record = failed == null ? null : failed.getRecord();
        if (record == null) {
            return;
        }
        List<ConsumerRecord<?, ?>> records = PollOffsets.listOf(data);
        int done = PollOffsets.countUpTo(records, record);
        Set<ConsumerRecord<?, ?>> lost = new HashSet<>(records.subList(done, records.size()));
        if (remaining != null) {
            PollOffsets.listOf(remaining).forEach(lost::remove);
        }
        if (done == 0 || lost.isEmpty()) {
            return;
        }
        recovered(records.subList(0, done));
        if (delegate.isAckAfterHandle()) {
            PollOffsets.commit(records.subList(0, done), consumer, container);
        }
        PollOffsets.seekBackTo(records.subList(done, records.size()), consumer);
        throw new KafkaException("The records behind the one that failed are fetched again", Level.DEBUG, thrown);
    }

    private void throwIfDeferred(
            Exception thrown, ConsumerRecords<?, ?> data, Consumer<?, ?> consumer, MessageListenerContainer container) {
        DeliveryDeferredException deferral = Deferrals.in(thrown);
        if (deferral != null) {
            throw backOff(deferral, data, consumer, container);
        }
        BoundConsumer bound = consumers.currentOrNull();
        if (bound != null) {
            bound.batchRetry().begin();
        }
    }

    private KafkaException backOff(
            DeliveryDeferredException deferral,
            ConsumerRecords<?, ?> data,
            Consumer<?, ?> consumer,
            MessageListenerContainer container) {
        List<ConsumerRecord<?, ?>> records = PollOffsets.listOf(data);
        int finished = 0;
        while (finished < records.size() && !deferral.resumesAt(records.get(finished))) {
            finished++;
        }
        if (finished == records.size()) {
            finished = 0; // not of this poll, as far as can be seen: nothing is known to be finished
        }
        PollOffsets.commit(records.subList(0, finished), consumer, container);
        PollOffsets.seekTo(records.subList(finished, records.size()), consumer);
        return settled(deferral, container);
    }

    private KafkaException settled(DeliveryDeferredException deferral, MessageListenerContainer container) {
        BoundConsumer bound = consumers.currentOrNull();
        if (bound != null) {
            bound.deferred().arrived();
        }
        backOff.begin(deferral, container);
        return new KafkaException(String.valueOf(deferral.getMessage()), Level.DEBUG, deferral);
    }

    private boolean isDeferring() {
        BoundConsumer bound = consumers.currentOrNull();
        return bound != null && bound.deferred().isOnItsWay();
    }

    @Override
    public void handleOtherException(
            Exception thrown, Consumer<?, ?> consumer, MessageListenerContainer container, boolean batchListener) {
        consumers.disturbed();
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

    /** Not after a retry that returned with records that are still to be acknowledged: the acknowledgments commit. */
    @Override
    public boolean isAckAfterHandle() {
        BoundConsumer bound = consumers.currentOrNull();
        return (bound == null || !bound.batchRetry().isUncommitted()) && delegate.isAckAfterHandle();
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
