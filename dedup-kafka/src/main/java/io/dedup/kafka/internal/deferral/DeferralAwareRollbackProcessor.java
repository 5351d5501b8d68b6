package io.dedup.kafka.internal.deferral;

import io.dedup.DedupOutcome.DeferReason;
import io.dedup.kafka.exception.DeliveryDeferredException;
import io.dedup.kafka.internal.KafkaLog;
import io.dedup.kafka.internal.Partitions;
import io.dedup.kafka.internal.consumer.BoundConsumer;
import io.dedup.kafka.internal.consumer.BoundConsumers;
import io.dedup.kafka.internal.consumer.UnansweredCommits.Answer;
import io.dedup.kafka.internal.spring.PollResults;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.listener.AfterRollbackProcessor;
import org.springframework.kafka.listener.ContainerProperties.EOSMode;
import org.springframework.kafka.listener.DeliveryAttemptAware;
import org.springframework.kafka.listener.ListenerExecutionFailedException;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.kafka.support.TopicPartitionOffset;

/**
 * The counterpart of {@link DeferralAwareErrorHandler} for Kafka transactions: keeps deferrals away from the
 * container's own processor, which would count attempts, give up and pass the record to a recoverer. Treats
 * transactions that failed for a reason other than the record, such as a fenced producer, the same way.
 */
public final class DeferralAwareRollbackProcessor<K, V> implements AfterRollbackProcessor<K, V>, DeliveryAttemptAware {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);

    private final AfterRollbackProcessor<K, V> delegate;
    private final BoundConsumers consumers;
    private final Deferrals deferrals;
    private final DeferralBackOff backOff;
    private final Rejections rejections;

    public DeferralAwareRollbackProcessor(
            AfterRollbackProcessor<K, V> delegate,
            BoundConsumers consumers,
            Deferrals deferrals,
            DeferralBackOff backOff) {
        this.delegate = delegate;
        this.consumers = consumers;
        this.deferrals = deferrals;
        this.backOff = backOff;
        this.rejections = new Rejections(delegate);
    }

    @Override
    public void process(
            List<ConsumerRecord<K, V>> records,
            Consumer<K, V> consumer,
            MessageListenerContainer container,
            Exception exception,
            boolean recoverable,
            EOSMode eosMode) {
        if (redeliver(exception, records, consumer, container)) {
            return;
        }
        handling(exception, records, () -> {
            recovering(
                    records.subList(0, 1),
                    records,
                    consumer,
                    () -> delegate.process(records, consumer, container, exception, recoverable, eosMode));
            consumers.finished(records.subList(0, 1)); // unless it has sought to it: it has given it up
        });
        consumers.dropped(records.subList(1, records.size()));
    }

    @Override
    public void processBatch(
            ConsumerRecords<K, V> records,
            List<ConsumerRecord<K, V>> recordList,
            Consumer<K, V> consumer,
            MessageListenerContainer container,
            Exception exception,
            boolean recoverable,
            EOSMode eosMode) {
        if (redeliver(exception, recordList, consumer, container)) {
            return;
        }
        handling(
                exception,
                recordList,
                () -> failed(records, recordList, consumer, container, exception, recoverable, eosMode));
    }

    private void handling(Exception exception, List<ConsumerRecord<K, V>> records, Runnable processing) {
        try {
            consumers.handlingError(records, processing);
        } finally {
            PollOffsets.failed(exception, records.stream().map(Partitions::of).toList(), consumers.currentOrNull());
        }
    }

    private void failed(
            ConsumerRecords<K, V> records,
            List<ConsumerRecord<K, V>> recordList,
            Consumer<K, V> consumer,
            MessageListenerContainer container,
            Exception exception,
            boolean recoverable,
            EOSMode eosMode) {
        RecordFailedException failed = RecordFailedException.in(exception);
        ConsumerRecord<?, ?> record = failed == null ? null : failed.getRecord();
        int end = record == null ? 0 : PollOffsets.countUpTo(PollOffsets.listOf(records), record);
        if (end == 0) {
            recovering(
                    recordList,
                    recordList,
                    consumer,
                    () -> delegate.processBatch(
                            records, recordList, consumer, container, exception, recoverable, eosMode));
            return;
        }
        // The processor would recover all records that it is given, so it gets only the one that failed.
        List<ConsumerRecord<K, V>> one = recordList.subList(end - 1, end);
        recovering(
                one,
                recordList,
                consumer,
                () -> delegate.processBatch(only(one), one, consumer, container, exception, recoverable, eosMode));
        PollOffsets.seekBackTo(new ArrayList<>(recordList.subList(end, recordList.size())), consumer);
    }

    private static <K, V> ConsumerRecords<K, V> only(List<ConsumerRecord<K, V>> one) {
        Map<TopicPartition, List<ConsumerRecord<K, V>>> part = new LinkedHashMap<>();
        part.put(Partitions.of(one.get(0)), one);
        return PollResults.of(part);
    }

    /**
     * Whether these records are deferred, and so retried without limit; otherwise they have failed, and the delegate
     * decides.
     */
    private boolean redeliver(
            Exception exception,
            List<ConsumerRecord<K, V>> records,
            Consumer<K, V> consumer,
            MessageListenerContainer container) {
        DeliveryDeferredException deferral = deferral(exception, records, consumer);
        if (deferral == null) {
            rejections.passedOn(exception, records.get(0));
            return false;
        }
        redeliver(deferral, records, consumer, container);
        return true;
    }

    /**
     * Runs the delegate. A recovered record's offset may be committed in a transaction that fails after this method has returned.
     *
     * @param part what the delegate recovers, or seeks back to
     */
    private void recovering(
            List<ConsumerRecord<K, V>> part,
            List<ConsumerRecord<K, V>> records,
            Consumer<K, V> consumer,
            Runnable processing) {
        BoundConsumer bound = consumers.currentOrNull();
        if (bound == null || !delegate.isProcessInTransaction()) {
            processing.run();
            return;
        }
        bound.transaction().recovering(part, () -> PollOffsets.seekTo(List.copyOf(records), consumer));
        processing.run();
        bound.transaction().retried(bound.soughtBack()::isFetchedAgain);
    }

    /** The deferral of these records, which are retried without limit; null if they have failed. */
    private @Nullable DeliveryDeferredException deferral(
            Exception exception, List<ConsumerRecord<K, V>> records, Consumer<K, V> consumer) {
        BoundConsumer bound = consumers.currentOrNull();
        Answer answer = bound == null
                ? Answer.NOTHING_OPEN
                : bound.transaction().unanswered().resolve(records, consumer, bound.budget());
        DeliveryDeferredException deferral = Deferrals.in(exception);
        if (deferral != null) {
            return deferral;
        }
        if (answer == Answer.COMMITTED || answer == Answer.UNKNOWN) {
            return deferrals.of(DeferReason.COMMIT_UNKNOWN, records.get(0), exception);
        }
        if (!(exception instanceof ListenerExecutionFailedException) && TransactionFailures.isOfNoRecord(exception)) {
            return deferrals.of(DeferReason.ROLLED_BACK, records.get(0), exception);
        }
        return null;
    }

    private void redeliver(
            DeliveryDeferredException deferral,
            List<ConsumerRecord<K, V>> records,
            Consumer<K, V> consumer,
            MessageListenerContainer container) {
        int finished = 0;
        while (finished < records.size() && !deferral.resumesAt(records.get(finished))) {
            finished++; // committed in a separate transaction
        }
        finished = finished == records.size() ? 0 : finished;
        PollOffsets.seekToDeferred(records.subList(finished, records.size()), consumer, consumers.currentOrNull());
        backOff.begin(deferral, container);
        if (deferral.reason() == DeferReason.COMMIT_UNKNOWN || deferral.reason() == DeferReason.ROLLED_BACK) {
            log.warn("A Kafka transaction failed; its records are redelivered: {}", deferral.getMessage(), deferral);
        }
    }

    public AfterRollbackProcessor<K, V> delegate() {
        return delegate;
    }

    @Override
    public boolean isProcessInTransaction() {
        return delegate.isProcessInTransaction();
    }

    @Override
    public void clearThreadState() {
        delegate.clearThreadState();
    }

    /** 1 if the processor counts no attempts. */
    @Override
    public int deliveryAttempt(TopicPartitionOffset position) {
        return delegate instanceof DeliveryAttemptAware aware ? aware.deliveryAttempt(position) : 1;
    }
}
