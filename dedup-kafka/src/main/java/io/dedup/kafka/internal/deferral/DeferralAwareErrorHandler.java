package io.dedup.kafka.internal.deferral;

import io.dedup.kafka.exception.DeliveryDeferredException;
import io.dedup.kafka.internal.ack.Redeliveries;
import io.dedup.kafka.internal.consumer.BoundConsumer;
import io.dedup.kafka.internal.consumer.BoundConsumers;
import io.dedup.kafka.internal.spring.FailureHandlers;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.KafkaException;
import org.springframework.kafka.KafkaException.Level;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.kafka.support.TopicPartitionOffset;

/**
 * Keeps deferrals away from the container's own error handler, which would count them, give up and pass the record to a
 * recoverer. Passes everything else on unchanged.
 *
 * <p>For a deferral it commits what the poll has finished, seeks back to the first unfinished record, pauses the
 * deferred record's partition for a while, and throws, so that the container commits nothing beyond. If it returned
 * instead, the container would take the record for handled and commit it.
 */
public final class DeferralAwareErrorHandler implements CommonErrorHandler {
    private final CommonErrorHandler delegate;
    private final BoundConsumers consumers;
    private final DeferralBackOff backOff;
    private final boolean endsLater;
    private final Rejections rejections;

    /** @param endsLater whether records may be unfinished when the listener returns */
    public DeferralAwareErrorHandler(
            CommonErrorHandler delegate, BoundConsumers consumers, DeferralBackOff backOff, boolean endsLater) {
        this.delegate = delegate;
        this.consumers = consumers;
        this.backOff = backOff;
        this.endsLater = endsLater;
        this.rejections = new Rejections(delegate);
    }

    public CommonErrorHandler delegate() {
        return delegate;
    }

    /**
     * A deferral always seeks, even if the delegate doesn't: otherwise the container would keep the poll's remaining
     * records in memory and stop fetching, for all partitions. For the same reason a failure seeks whose turn hasn't come,
     * because records below it are unfinished: one of them may have to be fetched first.
     */
    @Override
    public boolean seeksAfterHandling() {
        return endsLater || isDeferring() || delegate.seeksAfterHandling();
    }

    @Override
    public void handleRemaining(
            Exception thrown,
            List<ConsumerRecord<?, ?>> records,
            Consumer<?, ?> consumer,
            MessageListenerContainer container) {
        DeliveryDeferredException deferral = Deferrals.in(thrown);
        if (deferral != null) {
            PollOffsets.seekToDeferred(records, consumer, consumers.currentOrNull());
            throw backOff.settle(deferral, container);
        }
        if (thrown instanceof WakeupException) {
            // A wake-up interrupted the commit that follows a record. The record is done: redelivered, it is a
            // duplicate and is committed then.
            PollOffsets.seekTo(records, consumer);
            throw new KafkaException("Woken up while committing", Level.DEBUG, thrown);
        }
        if (records.isEmpty()) {
            delegate.handleRemaining(thrown, records, consumer, container);
            return;
        }
        ConsumerRecord<?, ?> first = records.get(0);
        Redeliveries redeliveries = redeliveries();
        if (redeliveries != null && redeliveries.mustWait(first)) {
            PollOffsets.seekTo(records, consumer);
            throw backOff.settle(Deferrals.untilBelowIsFinished(first, thrown), container);
        }
        if (redeliveries != null) {
            redeliveries.handedOver(first);
        }
        rejections.passedOn(thrown, first);
        try {
            if (endsLater && !delegate.seeksAfterHandling()) {
                handleFirst(thrown, records, consumer, container);
                return;
            }
            consumers.handlingError(records, () -> delegate.handleRemaining(thrown, records, consumer, container));
        } catch (RuntimeException | Error e) {
            if (redeliveries != null) {
                redeliveries.retried(first);
            }
            throw e;
        }
        recovered(first, redeliveries);
        consumers.dropped(records.subList(1, records.size()));
    }

    /** The delegate decides about one record and doesn't seek; what follows it is fetched again. */
    private void handleFirst(
            Exception thrown,
            List<ConsumerRecord<?, ?>> records,
            Consumer<?, ?> consumer,
            MessageListenerContainer container) {
        consumers.handlingError(records, () -> {
            ConsumerRecord<?, ?> first = records.get(0);
            if (!delegate.handleOne(thrown, first, consumer, container)) {
                PollOffsets.seekTo(records, consumer);
                throw new KafkaException("The error handler has not handled the record", Level.DEBUG, thrown);
            }
            recovered(first, redeliveries());
            PollOffsets.seekTo(records.subList(1, records.size()), consumer);
        });
    }

    /** Only for listeners whose records are finished when they return: {@link #seeksAfterHandling}. */
    @Override
    public boolean handleOne(
            Exception thrown,
            ConsumerRecord<?, ?> record,
            Consumer<?, ?> consumer,
            MessageListenerContainer container) {
        if (Deferrals.in(thrown) != null || thrown instanceof WakeupException) {
            return false; // not handled: the container keeps it and what follows
        }
        rejections.passedOn(thrown, record);
        boolean handled = delegate.handleOne(thrown, record, consumer, container);
        if (handled) {
            consumers.finished(List.of(record));
        }
        return handled;
    }

    /**
     * Not null if records of this consumer may be unfinished below the record that is handled. The container commits
     * the offset of a record that the delegate has recovered.
     */
    private @Nullable Redeliveries redeliveries() {
        BoundConsumer bound = endsLater ? consumers.currentOrNull() : null;
        return bound == null ? null : bound.redeliveries();
    }

    /** The delegate has recovered the record, and the container commits it. */
    private void recovered(ConsumerRecord<?, ?> record, @Nullable Redeliveries redeliveries) {
        if (redeliveries != null) {
            redeliveries.recovered(record);
        }
        consumers.finished(List.of(record));
    }

    @Override
    public void handleBatch(
            Exception thrown,
            ConsumerRecords<?, ?> data,
            Consumer<?, ?> consumer,
            MessageListenerContainer container,
            Runnable invokeListener) {
        rejections.passedOn(thrown, null);
        ConsumerRecords<?, ?> unused = failed(data, consumer, container)
                .handle(thrown, invokeListener, (e, listener) -> {
                    CommonErrorHandler deciding = deciding(e);
                    deciding.handleBatch(shownTo(deciding, e), data, consumer, container, listener);
                    return ConsumerRecords.empty();
                });
    }

    @Override
    public <K, V> ConsumerRecords<K, V> handleBatchAndReturnRemaining(
            Exception thrown,
            ConsumerRecords<?, ?> data,
            Consumer<?, ?> consumer,
            MessageListenerContainer container,
            Runnable invokeListener) {
        rejections.passedOn(thrown, null);
        ConsumerRecords<K, V> remaining = failed(data, consumer, container)
                .handle(thrown, invokeListener, (e, listener) -> {
                    CommonErrorHandler deciding = deciding(e);
                    return deciding.handleBatchAndReturnRemaining(
                            shownTo(deciding, e), data, consumer, container, listener);
                });
        return remaining == null ? remaining : PollOffsets.inOrderOf(data, remaining);
    }

    private CommonErrorHandler deciding(Exception thrown) {
        RecordFailedException named = RecordFailedException.directlyIn(thrown);
        return named == null ? delegate : FailureHandlers.deciding(delegate, named.getCause());
    }

    /**
     * To an application's handler, the exception whose cause is what its listener has thrown: it may decide by that. It names the
     * record, too, for a stock handler inside. Stock handlers find both, and use the group that the container's exception has.
     */
    private static Exception shownTo(CommonErrorHandler handler, Exception thrown) {
        RecordFailedException named = RecordFailedException.directlyIn(thrown);
        String type = handler.getClass().getName();
        boolean looksDeeper = type.startsWith("org.springframework.kafka.listener.")
                || type.startsWith("io.dedup.spring.boot.internal.");
        return named == null || looksDeeper ? thrown : named;
    }

    private FailedBatch failed(
            ConsumerRecords<?, ?> data, Consumer<?, ?> consumer, MessageListenerContainer container) {
        return new FailedBatch(consumers, backOff, delegate, data, consumer, container);
    }

    private boolean isDeferring() {
        BoundConsumer bound = consumers.currentOrNull();
        return bound != null && bound.deferred().isOnItsWay();
    }

    @Override
    public void handleOtherException(
            Exception thrown, Consumer<?, ?> consumer, MessageListenerContainer container, boolean batchListener) {
        consumers.suspectDrop();
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

    /** False after a retry that returned before all records are acknowledged: their acknowledgments commit. */
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
        BoundConsumer bound = consumers.currentOrNull();
        if (bound != null) {
            bound.watched().assigned(partitions, consumer);
        }
        delegate.onPartitionsAssigned(consumer, partitions, publishPause);
    }
}
