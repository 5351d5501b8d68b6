package io.dedup.kafka.internal.deferral;

import io.dedup.kafka.exception.DeliveryDeferredException;
import io.dedup.kafka.internal.KafkaLog;
import io.dedup.kafka.internal.consumer.BoundConsumer;
import io.dedup.kafka.internal.consumer.BoundConsumers;
import io.dedup.kafka.internal.deferral.RetriedListener.LeaveRetry;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.KafkaException;
import org.springframework.kafka.KafkaException.Level;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.MessageListenerContainer;

/**
 * A batch whose listener has thrown, during the container's call of its error handler. The container's own error
 * handler may call the listener again, may poll meanwhile, and may not know deferrals or failures of single records.
 * Used by the consumer's thread.
 */
final class FailedBatch {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);

    private final BoundConsumers consumers;
    private final DeferralBackOff backOff;
    private final CommonErrorHandler delegate;
    private final ConsumerRecords<?, ?> data;
    private final Consumer<?, ?> consumer;
    private final MessageListenerContainer container;

    FailedBatch(
            BoundConsumers consumers,
            DeferralBackOff backOff,
            CommonErrorHandler delegate,
            ConsumerRecords<?, ?> data,
            Consumer<?, ?> consumer,
            MessageListenerContainer container) {
        this.consumers = consumers;
        this.backOff = backOff;
        this.delegate = delegate;
        this.data = data;
        this.consumer = consumer;
        this.container = container;
    }

    /**
     * Calls the container's own error handler with a listener that it may call again. Returns what remains of the poll.
     */
    interface Handling<R extends @Nullable ConsumerRecords<?, ?>> {
        R handle(Exception thrown, Runnable listener);
    }

    /** Runs the error handler. Throws when the container must commit nothing, or not everything. */
    <R extends @Nullable ConsumerRecords<?, ?>> R handle(Exception thrown, Runnable listener, Handling<R> handling) {
        try {
            return handled(thrown, listener, handling);
        } finally {
            PollOffsets.failed(thrown, data.partitions(), consumers.currentOrNull());
        }
    }

    private <R extends @Nullable ConsumerRecords<?, ?>> R handled(
            Exception thrown, Runnable listener, Handling<R> handling) {
        throwIfDeferred(thrown);
        RetriedListener guarded = new RetriedListener(consumers, listener);
        R remaining;
        try {
            remaining = holding(() -> handling.handle(thrown, guarded));
        } catch (LeaveRetry e) {
            return handle(e.thrown(), listener, handling);
        } catch (RuntimeException e) {
            finishGivenUp(thrown);
            consumers.dropped(PollOffsets.listOf(data));
            throw e;
        }
        requireNotSwallowed(guarded);
        requireRestKept(thrown, remaining);
        requireRestHandedOut(thrown, remaining);
        if (remaining == null || remaining.isEmpty()) {
            consumers.finished(PollOffsets.listOf(data));
        }
        return remaining;
    }

    /** A handler that has given up one record seeks to those behind it, and throws: that one doesn't come again. */
    private void finishGivenUp(Exception thrown) {
        RecordFailedException failed = RecordFailedException.in(thrown);
        ConsumerRecord<?, ?> record = failed == null ? null : failed.getRecord();
        BoundConsumer bound = consumers.currentOrNull();
        if (record == null || bound == null || bound.outstanding().dropIsSuspected()) {
            return;
        }
        List<ConsumerRecord<?, ?>> records = PollOffsets.listOf(data);
        int end = PollOffsets.countUpTo(records, record);
        List<ConsumerRecord<?, ?>> behind = records.subList(end, records.size());
        if (end > 0 && !behind.isEmpty() && behind.stream().noneMatch(bound.outstanding()::holds)) {
            bound.outstanding().finished(records.subList(end - 1, end));
        }
    }

    private void throwIfDeferred(Exception thrown) {
        DeliveryDeferredException deferral = Deferrals.in(thrown);
        if (deferral != null) {
            throw deferred(deferral);
        }
        BoundConsumer bound = consumers.currentOrNull();
        if (bound != null) {
            bound.batchRetry().begin();
        }
    }

    private KafkaException deferred(DeliveryDeferredException deferral) {
        List<ConsumerRecord<?, ?>> records = PollOffsets.listOf(data);
        int finished = 0;
        while (finished < records.size() && !deferral.resumesAt(records.get(finished))) {
            finished++;
        }
        if (finished == records.size()) {
            finished = 0; // the record isn't visibly of this poll: nothing is known to be finished
        }
        PollOffsets.commit(records.subList(0, finished), consumer, container);
        PollOffsets.seekToDeferred(records.subList(finished, records.size()), consumer, consumers.currentOrNull());
        return backOff.settle(deferral, container);
    }

    /** The container's own error handler has the records meanwhile, and may poll. */
    private <T extends @Nullable Object> T holding(Supplier<T> handling) {
        BoundConsumer bound = consumers.currentOrNull();
        return bound == null ? handling.get() : bound.watched().holding(handling);
    }

    /**
     * An error handler that catches even Errors took the deferral for a failure and continued: nothing may be
     * committed.
     */
    private void requireNotSwallowed(RetriedListener guarded) {
        BoundConsumer bound = consumers.currentOrNull();
        boolean deferring = bound != null && bound.deferred().isOnItsWay();
        if (deferring || guarded.left()) {
            consumers.current().deferred().arrived();
            log.warn(
                    "The error handler {} of listener container {} treated a deferral as a failure; the batch is"
                            + " fetched again",
                    delegate.getClass().getName(),
                    container.getListenerId());
            PollOffsets.seekTo(PollOffsets.listOf(data), consumer);
            throw new KafkaException("The error handler treated a deferral as a failure", Level.DEBUG, null);
        }
    }

    /**
     * An error handler that doesn't know failures of single records, for example one that only logs, finishes the whole
     * poll when one record fails. But the listener wasn't given the records behind that one, or hasn't reached them.
     */
    private void requireRestKept(Exception thrown, @Nullable ConsumerRecords<?, ?> remaining) {
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
        if (done > 0 && !lost.isEmpty()) {
            throw restFetchedAgain(thrown, records, done);
        }
    }

    /** With subBatchPerPartition the container keeps what remains, pauses its consumer, and never looks at it again. */
    private void requireRestHandedOut(Exception thrown, @Nullable ConsumerRecords<?, ?> remaining) {
        if (remaining == null
                || remaining.isEmpty()
                || !container.getContainerProperties().isSubBatchPerPartition()) {
            return;
        }
        List<ConsumerRecord<?, ?>> records = PollOffsets.listOf(data);
        int upToFirst = PollOffsets.countUpTo(records, remaining.iterator().next());
        throw restFetchedAgain(thrown, records, Math.max(0, upToFirst - 1));
    }

    private KafkaException restFetchedAgain(Exception thrown, List<ConsumerRecord<?, ?>> records, int done) {
        consumers.finished(records.subList(0, done));
        if (delegate.isAckAfterHandle()) {
            PollOffsets.commit(records.subList(0, done), consumer, container);
        }
        // Held, so that the consumer answers its own position: with fixTxOffsets the container's is that of the rest
        // already.
        boolean unused = holding(() -> {
            PollOffsets.seekBackTo(records.subList(done, records.size()), consumer);
            return true;
        });
        return new KafkaException("The records behind the failed record are fetched again", Level.DEBUG, thrown);
    }
}
