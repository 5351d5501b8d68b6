package io.dedup.kafka.internal.consumer;

import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.WaitBudget;
import io.dedup.kafka.internal.PollBudget;
import io.dedup.kafka.internal.ack.ManualAcks;
import io.dedup.kafka.internal.ack.PendingDeliveries;
import io.dedup.kafka.internal.ack.Redeliveries;
import io.dedup.kafka.internal.ack.UnfinishedLimit;
import io.dedup.kafka.internal.claimahead.ClaimedPoll;
import io.dedup.kafka.internal.poll.DeferredRecords;
import io.dedup.kafka.internal.poll.OutstandingRecords;
import io.dedup.kafka.internal.poll.PollHooks;
import io.dedup.kafka.internal.poll.WatchedPolls;
import java.util.Collection;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.ConsumerSeekAware.ConsumerSeekCallback;

/**
 * What belongs to one consumer and its thread, from its start to its stop. Only that thread uses it, except for the
 * acknowledgments.
 */
public final class BoundConsumer {
    private final Thread thread = Thread.currentThread();
    private final ConsumerSeekCallback seeks;
    private final boolean commitsOffsets;
    private final PollBudget polls;
    private final TransactionWork transaction;
    private final Redeliveries redeliveries;
    private final ManualAcks acks;
    private final UnfinishedLimit unfinished;
    private final WatchedPolls watched;
    private final BatchRetry batchRetry = new BatchRetry();

    /** On the consumer's thread. */
    public BoundConsumer(
            DedupAdapter engine,
            ConsumerLimits limits,
            ConsumerSeekCallback seeks,
            ClaimedPoll claims,
            PollHooks hooks) {
        this.seeks = seeks;
        this.commitsOffsets = limits.commitsOffsets();
        this.polls = new PollBudget(limits.maxPollInterval());
        this.transaction = new TransactionWork(engine);
        PendingDeliveries pending = new PendingDeliveries();
        this.redeliveries = new Redeliveries(pending, this::fetchAgain);
        this.acks = new ManualAcks(
                engine,
                pending,
                redeliveries,
                () -> isOnItsThread() ? polls.current() : polls.fresh(),
                // Another thread's ack is committed whenever the consumer gets to it, and the consumer would wait.
                (execution, delivery) -> isOnItsThread() && claims.queue(execution, delivery));
        this.unfinished = new UnfinishedLimit(limits.maxUnfinished(), pending, redeliveries);
        this.watched = hooks.watch(seeks, claims, pending, redeliveries);
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

    public ManualAcks acks() {
        return acks;
    }

    /** What the container's Kafka transactions decide about. */
    public TransactionWork transaction() {
        return transaction;
    }

    public Redeliveries redeliveries() {
        return redeliveries;
    }

    /** Whether so much below this record is unfinished that it has to wait, with all that is above it. */
    public boolean isBehindTooMany(ConsumerRecord<?, ?> record) {
        return unfinished.isReached(record);
    }

    /** The seek is made between two polls; where to is decided then, since meanwhile the record may have come. */
    private void fetchAgain(TopicPartition id) {
        seeks.seek(id.topic(), id.partition(), position -> redeliveries.position(id, position));
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
        return deferred().contains(record) ? WaitBudget.none() : budget();
    }

    /** What it has deferred. */
    public DeferredRecords deferred() {
        return watched.deferred();
    }

    /** How an error handler tries a batch again. */
    public BatchRetry batchRetry() {
        return batchRetry;
    }

    /** These partitions, or all with null, belong to somebody else now. */
    public void revoked(@Nullable Collection<TopicPartition> partitions) {
        watched.revoked(partitions);
        transaction.unanswered().revoked(partitions);
        fetchAgain(acks.pending().lost(partitions));
    }

    /** It polls no more. */
    void end() {
        revoked(null);
        watched.end();
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
