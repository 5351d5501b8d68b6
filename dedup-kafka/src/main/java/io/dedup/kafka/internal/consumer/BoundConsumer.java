package io.dedup.kafka.internal.consumer;

import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.WaitBudget;
import io.dedup.adapter.poll.ClaimedPoll;
import io.dedup.adapter.poll.PollBudget;
import io.dedup.kafka.internal.ack.ManualAcks;
import io.dedup.kafka.internal.ack.PendingDeliveries;
import io.dedup.kafka.internal.ack.Redeliveries;
import io.dedup.kafka.internal.ack.SoughtBack;
import io.dedup.kafka.internal.ack.UnfinishedLimit;
import io.dedup.kafka.internal.poll.DeferredRecords;
import io.dedup.kafka.internal.poll.OutstandingRecords;
import io.dedup.kafka.internal.poll.PartitionMoves;
import io.dedup.kafka.internal.poll.WatchedPolls;
import io.dedup.kafka.internal.record.RecordDeliveries;
import java.util.Collection;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.ConsumerSeekAware.ConsumerSeekCallback;

/**
 * The state of one consumer and its thread, from its start to its stop. Used by that thread only, except for
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
    private final TakenFailure takenFailure = new TakenFailure();
    private final ConsumerSeekCallback watchedSeeks;
    private final RevokedPartitions revokedPartitions;

    /** Called on the consumer's thread. */
    public BoundConsumer(
            DedupAdapter engine,
            ConsumerLimits limits,
            ConsumerSeekCallback seeks,
            ClaimedPoll claims,
            RecordDeliveries deliveries,
            UnansweredCommits.Inquirer inquirer,
            PartitionMoves moves) {
        this.seeks = seeks;
        this.commitsOffsets = limits.commitsOffsets();
        this.polls = new PollBudget(limits.maxPollInterval());
        this.transaction = new TransactionWork(engine, inquirer);
        PendingDeliveries pending = new PendingDeliveries();
        this.redeliveries = new Redeliveries(pending, this::fetchAgain);
        this.acks = new ManualAcks(
                engine,
                pending,
                redeliveries,
                () -> isOnItsThread() ? polls.current() : polls.fresh(),
                // Not another thread's: its ack may be committed at any time, and the consumer would wait.
                execution -> isOnItsThread() && claims.queue(execution));
        this.unfinished = new UnfinishedLimit(limits.maxUnfinished(), pending, redeliveries);
        this.watched = new WatchedPolls(seeks, claims, deliveries, pending, redeliveries, moves);
        this.watchedSeeks = new WatchedSeeks(seeks, watched.seekTargets(), pending.soughtBack());
        this.revokedPartitions = new RevokedPartitions(watched, transaction.unanswered(), pending, this::fetchAgain);
    }

    /** Whether this callback, of which each consumer has its own, belongs to this consumer. */
    public boolean belongsTo(ConsumerSeekCallback callback) {
        return seeks == callback;
    }

    /** The same callback for the user's listener. */
    public ConsumerSeekCallback watchedSeeks() {
        return watchedSeeks;
    }

    /** Where user code has sought back to during the listener's call. */
    public SoughtBack soughtBack() {
        return acks.pending().soughtBack();
    }

    /** Whether the caller runs on the thread that polls. */
    public boolean isOnItsThread() {
        return Thread.currentThread() == thread;
    }

    /** The claims of records whose turn hasn't come, and the queued successes. */
    public ClaimedPoll claims() {
        return watched.claims();
    }

    /** The hooks around this consumer's polls. */
    public WatchedPolls watched() {
        return watched;
    }

    /** The records that the container still holds and may drop. */
    public OutstandingRecords outstanding() {
        return watched.outstanding();
    }

    public ManualAcks acks() {
        return acks;
    }

    /** The work of handlers in the container's Kafka transactions. */
    public TransactionWork transaction() {
        return transaction;
    }

    public Redeliveries redeliveries() {
        return redeliveries;
    }

    /** Whether so many records below this one are unfinished that it must wait, with everything above it. */
    public boolean isBehindTooMany(ConsumerRecord<?, ?> record) {
        return unfinished.isReached(record);
    }

    /**
     * The seek happens between two polls. Its target is computed then, because the record may have been redelivered
     * meanwhile.
     */
    private void fetchAgain(TopicPartition id) {
        seeks.seek(
                id.topic(),
                id.partition(),
                position -> watched.backTo(id, redeliveries.position(id, position), position));
    }

    /** Whether offsets can be committed at all: without a group they cannot, and acknowledgments have no effect. */
    public boolean commitsOffsets() {
        return commitsOffsets;
    }

    /** For waits on the consumer's thread, after a handler's run or for a record. */
    public WaitBudget budget() {
        return polls.current();
    }

    /** For a batch; batches are at least one poll apart. */
    public WaitBudget batchBudget() {
        return polls.fresh();
    }

    /**
     * For claiming this record. A record that was deferred before doesn't wait in place again: its partition is paused
     * instead, and other partitions continue.
     */
    public WaitBudget budgetFor(ConsumerRecord<?, ?> record) {
        return deferred().contains(record) ? WaitBudget.none() : budget();
    }

    /** The records that this consumer has deferred. */
    public DeferredRecords deferred() {
        return watched.deferred();
    }

    /** The error handler's retry of a batch. */
    public BatchRetry batchRetry() {
        return batchRetry;
    }

    /** What the listener's method has thrown in the listener's call. */
    public TakenFailure takenFailure() {
        return takenFailure;
    }

    /** These partitions, or all if null, belong to another consumer now. */
    public void revoked(@Nullable Collection<TopicPartition> partitions) {
        revokedPartitions.letGo(partitions, watched.isInOthersPoll());
    }

    /** Nor do these, but the container goes on with the records that it has kept of them. */
    public void leftUnnoticed(Collection<TopicPartition> partitions) {
        revokedPartitions.letGo(partitions, true);
    }

    /** The consumer won't poll any more. */
    void end() {
        revoked(null);
        watched.end();
    }

    /** This record isn't given to the handler: the container's error handler decides about it. */
    public void rejected(ConsumerRecord<?, ?> record) {
        fetchAgain(acks.pending().arrivals().rejected(record));
    }

    /** Never seeks forward: the container may have sought back meanwhile, to records that nothing else would redeliver. */
    private void fetchAgain(Map<TopicPartition, Long> offsets) {
        offsets.forEach((partition, offset) -> seeks.seek(
                partition.topic(), partition.partition(), position -> watched.backTo(partition, offset, position)));
    }
}
