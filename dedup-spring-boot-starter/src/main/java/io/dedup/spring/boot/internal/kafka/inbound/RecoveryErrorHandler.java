package io.dedup.spring.boot.internal.kafka.inbound;

import io.dedup.MissingMessageIdException;
import io.dedup.PayloadConflictException;
import io.dedup.PoisonMessageException;
import io.dedup.text.Causes;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.KafkaException.Level;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.ConsumerRecordRecoverer;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.ExceptionClassifier;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.kafka.support.TopicPartitionOffset;
import org.springframework.util.backoff.FixedBackOff;

/**
 * Treats a record that the flow's own error handling has taken like one that an error handler of spring-kafka has recovered: no retry,
 * and its offset is committed. Messages that deduplication rejects never get to the flow, so they are handed to its dead letters, if it
 * has any. Passes everything else on.
 */
final class RecoveryErrorHandler implements CommonErrorHandler {
    private final CommonErrorHandler delegate;
    private final CommonErrorHandler recovered;
    private final @Nullable CommonErrorHandler rejected;

    /** @param deadLetters takes rejected messages, or throws; null if the flow has no dead letters */
    RecoveryErrorHandler(CommonErrorHandler delegate, @Nullable ConsumerRecordRecoverer deadLetters) {
        this.delegate = delegate;
        this.recovered = taking((record, failure) -> {}, delegate);
        this.rejected = deadLetters == null ? null : taking(deadLetters, delegate);
        if (delegate instanceof ExceptionClassifier classifier) { // a rejected message would be rejected again
            classifier.addNotRetryableExceptions(
                    MissingMessageIdException.class, PayloadConflictException.class, PoisonMessageException.class);
        }
    }

    private static DefaultErrorHandler taking(ConsumerRecordRecoverer recoverer, CommonErrorHandler delegate) {
        DefaultErrorHandler handler = new DefaultErrorHandler(recoverer, new FixedBackOff(0, 0));
        handler.setSeekAfterError(delegate.seeksAfterHandling());
        handler.setLogLevel(Level.DEBUG);
        return handler;
    }

    private CommonErrorHandler of(Exception thrown) {
        if (Causes.first(thrown, RecoveredException.class) != null) {
            return recovered;
        }
        return rejected != null
                        && (Causes.first(thrown, MissingMessageIdException.class) != null
                                || Causes.first(thrown, PayloadConflictException.class) != null
                                || Causes.first(thrown, PoisonMessageException.class) != null)
                ? rejected
                : delegate;
    }

    @Override
    public boolean seeksAfterHandling() {
        return delegate.seeksAfterHandling();
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
    public boolean handleOne(
            Exception thrown,
            ConsumerRecord<?, ?> record,
            Consumer<?, ?> consumer,
            MessageListenerContainer container) {
        return of(thrown).handleOne(thrown, record, consumer, container);
    }

    @Override
    public void handleRemaining(
            Exception thrown,
            List<ConsumerRecord<?, ?>> records,
            Consumer<?, ?> consumer,
            MessageListenerContainer container) {
        of(thrown).handleRemaining(thrown, records, consumer, container);
    }

    @Override
    public void handleBatch(
            Exception thrown,
            ConsumerRecords<?, ?> data,
            Consumer<?, ?> consumer,
            MessageListenerContainer container,
            Runnable invokeListener) {
        of(thrown).handleBatch(thrown, data, consumer, container, invokeListener);
    }

    @Override
    public <K, V> ConsumerRecords<K, V> handleBatchAndReturnRemaining(
            Exception thrown,
            ConsumerRecords<?, ?> data,
            Consumer<?, ?> consumer,
            MessageListenerContainer container,
            Runnable invokeListener) {
        return of(thrown).handleBatchAndReturnRemaining(thrown, data, consumer, container, invokeListener);
    }

    @Override
    public void handleOtherException(
            Exception thrown, Consumer<?, ?> consumer, MessageListenerContainer container, boolean batchListener) {
        delegate.handleOtherException(thrown, consumer, container, batchListener);
    }

    @Override
    public void clearThreadState() {
        delegate.clearThreadState();
        recovered.clearThreadState();
        if (rejected != null) {
            rejected.clearThreadState();
        }
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
