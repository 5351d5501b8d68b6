package io.dedup.kafka.internal.consumer;

import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.WaitBudget;
import io.dedup.kafka.internal.PollBudget;
import io.dedup.kafka.internal.ack.ManualAcks;
import io.dedup.kafka.internal.ack.PendingDeliveries;
import io.dedup.kafka.internal.ack.Redeliveries;
import io.dedup.kafka.internal.ack.UnfinishedLimit;
import io.dedup.kafka.internal.claimahead.ClaimedPoll;
import io.dedup.kafka.internal.claimahead.OutstandingRecords;
import io.dedup.kafka.internal.claimahead.WatchedPolls;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.ConsumerSeekAware.ConsumerSeekCallback;
import org.springframework.kafka.listener.MessageListenerContainer;

/**
 * What belongs to one consumer and its thread, from its start to its stop. Only that thread uses it, except for the
 * acknowledgments.
 */
public final class BoundConsumer {
    private final Thread thread = Thread.currentThread();
    private final PollBudget polls;
    private final WatchedPolls watched;
    private final ManualAcks acks;
    private final TransactionWork transaction;
    private final UnfinishedLimit unfinished;
    private final ConsumerSeekCallback seeks;
    private final boolean commitsOffsets;
    private final DeferredRecords deferred = new DeferredRecords();
    private final BatchRetry batchRetry = new BatchRetry();

    public BoundConsumer(
            DedupAdapter engine,
            Duration maxPollInterval,
            int maxUnfinished,
            boolean commitsOffsets,
            ConsumerSeekCallback seeks,
            WatchedPolls watched) {
        this.polls = new PollBudget(maxPollInterval);
        this.transaction = new TransactionWork(engine);
        this.seeks = seeks;
        this.watched = watched;
        this.commitsOffsets = commitsOffsets;
        PendingDeliveries pending = new PendingDeliveries();
        this.acks = new ManualAcks(
                engine,
                pending,
                new Redeliveries(pending, this::fetchAgain),
                () -> isOnItsThread() ? polls.current() : polls.fresh(),
                // Another thread's ack is committed whenever the consumer gets to it, and the consumer would wait.
                (execution, delivery) -> isOnItsThread() && claims().queue(execution, delivery));
        this.unfinished = new UnfinishedLimit(maxUnfinished, pending, acks.redeliveries());
        watched.shortenWhile(pending::isAnyRunning);
        watched.fetchAgain(acks.redeliveries()::awaited);
    }

    /** Whether this callback, of which each consumer has its own, is its consumer's. */
    public boolean belongsTo(ConsumerSeekCallback callback) {
        return seeks == callback;
    }

    /** Whether the caller is on the thread that polls. */
    public boolean isOnItsThread() {
        return Thread.currentThread() == thread;
    }

    /** What is claimed before its turn. */
    public ClaimedPoll claims() {
        return watched.claims();
    }

    /** What happens around its polls. */
    public WatchedPolls watched() {
        return watched;
    }

    /** What the container may still drop. */
    public OutstandingRecords outstanding() {
        return watched.outstanding();
    }

    /** Keeps a partition from being fetched for a while; false where nothing would end the partition's pause. */
    public boolean hold(MessageListenerContainer container, TopicPartition partition, Duration time) {
        if (watched.areSeen()) {
            watched.hold(container, partition, time);
        }
        return watched.areSeen();
    }

    public ManualAcks acks() {
        return acks;
    }

    /** What the container's Kafka transactions decide about. */
    public TransactionWork transaction() {
        return transaction;
    }

    public Redeliveries redeliveries() {
        return acks.redeliveries();
    }

    /** Whether so much below this record is unfinished that it has to wait, with all that is above it. */
    public boolean isBehindTooMany(ConsumerRecord<?, ?> record) {
        return unfinished.isReached(record);
    }

    /** The seek is made between two polls; where to is decided then, since meanwhile the record may have come. */
    private void fetchAgain(TopicPartition id) {
        seeks.seek(id.topic(), id.partition(), position -> redeliveries().position(id, position));
    }

    /** Whether offsets can be committed at all: without a group they can't, and an ack means nothing. */
    public boolean commitsOffsets() {
        return commitsOffsets;
    }

    /** For what has to wait on the consumer's thread after a handler's run, or for a record. */
    public WaitBudget budget() {
        return polls.current();
    }

    /** For a batch, whose invocations lie at least one poll apart. */
    public WaitBudget batchBudget() {
        return polls.fresh();
    }

    /**
     * For claiming this record. One that was deferred before doesn't wait in place again: its partition's pauses do
     * the waiting, and other partitions go on meanwhile.
     */
    public WaitBudget budgetFor(ConsumerRecord<?, ?> record) {
        return deferred.contains(record) ? WaitBudget.none() : budget();
    }

    /** What it has deferred. */
    public DeferredRecords deferred() {
        return deferred;
    }

    /** How an error handler tries a batch again. */
    public BatchRetry batchRetry() {
        return batchRetry;
    }

    /** These partitions, or all with null, belong to somebody else now. */
    public void revoked(@Nullable Collection<TopicPartition> partitions) {
        deferred.forget(partitions);
        watched.outstanding().forget(partitions);
        transaction.revoked(partitions);
        fetchAgain(acks.pending().lost(partitions));
    }

    /** This record isn't given to the handler: the container's error handler decides about it. */
    public void rejected(ConsumerRecord<?, ?> record) {
        fetchAgain(acks.pending().arrivals().rejected(record));
    }

    /** Never forwards: the container may have sought back meanwhile, to what comes again and nobody else remembers. */
    private void fetchAgain(Map<TopicPartition, Long> offsets) {
        offsets.forEach((partition, offset) ->
                seeks.seek(partition.topic(), partition.partition(), position -> Math.min(position, offset)));
    }
}
