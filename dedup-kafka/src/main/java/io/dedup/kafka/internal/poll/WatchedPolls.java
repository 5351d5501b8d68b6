package io.dedup.kafka.internal.poll;

import io.dedup.adapter.poll.ClaimedPoll;
import io.dedup.kafka.internal.KafkaLog;
import io.dedup.kafka.internal.Partitions;
import io.dedup.kafka.internal.ack.PendingDeliveries;
import io.dedup.kafka.internal.ack.Redeliveries;
import io.dedup.kafka.internal.record.RecordDeliveries;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.listener.ConsumerSeekAware.ConsumerSeekCallback;
import org.springframework.kafka.listener.MessageListenerContainer;

/**
 * Acts around one consumer's polls: fetches dropped records again, resumes held partitions, makes and returns claims.
 * Sits between a container and its Kafka consumer ({@link HookedConsumer}).
 *
 * <p>Used by the consumer's thread.
 */
public final class WatchedPolls {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);
    /**
     * The longest poll while handlers have records, or while a partition with dropped records has no known position: so that
     * such records are soon fetched again.
     */
    private static final Duration WHILE_WORK_IS_OPEN = Duration.ofMillis(50);

    /** A call of the user's listener. */
    public interface Call {
        /** The records that it is given. */
        List<? extends ConsumerRecord<?, ?>> records();
    }

    private final ClaimedPoll claims;
    private final RecordDeliveries deliveries;
    private final PendingDeliveries pending;
    private final DeferredRecords deferred = new DeferredRecords();
    private final OutstandingRecords outstanding = new OutstandingRecords();
    private final PolledRecords records = new PolledRecords();
    private final HighestCommits highest = new HighestCommits();
    private final CalledRecords called = new CalledRecords();
    private final PartitionHolds holds = new PartitionHolds();
    private final WakeUps wakeUps = new WakeUps();
    private final FetchAgain fetchAgain;
    private final PartitionMoves moves;
    private final ContainersConsumer consumer;
    /** Stands for this consumer where more is remembered for longer than it lives. */
    private final Object session = new Object();
    /** Paused for the poll that is running, or else left by one whose end has failed. */
    private final Set<TopicPartition> pausedForPoll = new HashSet<>();

    private boolean seen;
    private boolean warned;
    private boolean elsewhere;
    /** Whether a call of the consumer is under way in which partitions may leave. */
    private boolean leaving;

    private int holders;

    /**
     * Creates the hooks for the polls of one consumer of a container, from the first poll on.
     *
     * @param seeks the container's callback of this consumer
     * @param claims the claims of records whose turn hasn't come
     * @param moves learns what the container's listener doesn't
     */
    public WatchedPolls(
            ConsumerSeekCallback seeks,
            ClaimedPoll claims,
            RecordDeliveries deliveries,
            PendingDeliveries pending,
            Redeliveries redeliveries,
            PartitionMoves moves) {
        this.consumer = new ContainersConsumer(seeks);
        this.claims = claims;
        this.deliveries = deliveries;
        this.pending = pending;
        this.fetchAgain = new FetchAgain(outstanding, redeliveries, wakeUps);
        this.moves = moves;
    }

    /**
     * Whether this is the container's consumer, whose calls are watched; handlers may use others on the same thread.
     */
    boolean isOf(ConsumerWrapper asking, boolean polls) {
        return consumer.is(asking, polls);
    }

    PartitionMoves moves() {
        return moves;
    }

    public ClaimedPoll claims() {
        return claims;
    }

    public OutstandingRecords outstanding() {
        return outstanding;
    }

    public DeferredRecords deferred() {
        return deferred;
    }

    /** The records of the last poll that the container was passed. */
    public PolledRecords records() {
        return records;
    }

    /** The consumer's position is moved by whoever uses the consumer: the container, an error handler, or a listener. */
    void sought(TopicPartition partition, long offset) {
        if (pending.soughtBack().isInCall()) {
            outstanding.soughtInCall(partition, offset);
        } else {
            outstanding.sought(partition, offset);
        }
        pending.soughtBack().moved(partition, offset);
        highest.moved(partition, offset);
    }

    /**
     * Of these offsets those that may be committed. Whoever commits, what the handler hasn't finished isn't committed: a container
     * would, for example, when the error handler gives up a later record. The next acknowledgment commits that one, too.
     * What a late acknowledgment or commit would move back stays where it is.
     */
    Map<TopicPartition, OffsetAndMetadata> committable(Map<TopicPartition, OffsetAndMetadata> offsets) {
        Map<TopicPartition, OffsetAndMetadata> committable = new HashMap<>(offsets);
        if (called.isAny()) {
            committable.replaceAll(
                    (partition, asked) -> at(called.limited(partition, asked.offset(), outstanding), asked));
        }
        committable
                .entrySet()
                .removeIf(each ->
                        !pending.mayCommit(each.getKey(), each.getValue().offset()));
        if (!warned && called.isAny() && !committable.equals(offsets)) {
            warned = true;
            log.warn(
                    "A listener commits {} by its consumer: of this only {} is committed, because the records below the rest"
                            + " aren't finished. Leave commits to the container: in a manual ack mode, call"
                            + " Acknowledgment.acknowledge()",
                    offsets,
                    committable);
        }
        committable.replaceAll((partition, asked) -> {
            long late = pending.notMovedBack(partition, asked.offset());
            long highestYet = highest.with(partition, late);
            return at(pending.mayCommit(partition, highestYet) ? highestYet : late, asked);
        });
        return committable;
    }

    private static OffsetAndMetadata at(long offset, OffsetAndMetadata asked) {
        return offset == asked.offset() ? asked : new OffsetAndMetadata(offset, asked.metadata());
    }

    /**
     * The positions, but nothing that the container still has, and that the listener's call wasn't given. An application cannot
     * know of these: its batch, for example, ends before a record that is in flight elsewhere.
     *
     * @throws Throwable what the consumer throws
     */
    Map<TopicPartition, OffsetAndMetadata> positions(Consumer<?, ?> target) throws Throwable {
        Map<TopicPartition, OffsetAndMetadata> positions = new HashMap<>();
        for (TopicPartition each : target.assignment()) {
            Long position = fetchAgain.positionOf(each, target);
            if (position != null) {
                positions.put(each, new OffsetAndMetadata(called.limited(each, position, outstanding)));
            }
        }
        return positions;
    }

    /**
     * The listener is called. {@link #returned} follows, whatever happens.
     *
     * @param inTransaction whether the records are done only when a transaction around the call has committed
     */
    public void called(Call call, boolean inTransaction) {
        called.begin(call, inTransaction);
    }

    public void returned() {
        called.end();
    }

    /** Runs what makes the container commit, also in the middle of a call: it isn't the listener's own commit. */
    public void byContainer(Runnable acknowledgment) {
        called.without(acknowledgment);
    }

    /** Somebody has asked for a commit of these offsets. The container has finished what is below; a listener's own commit finishes nothing. */
    void finishedBelow(Map<TopicPartition, OffsetAndMetadata> offsets) {
        if (!called.isAny()) {
            offsets.forEach((partition, offset) -> outstanding.finishedBelow(partition, offset.offset()));
        }
    }

    /** Whether any polled topic explains its duplicates, so that commits prove something. */
    boolean explainsDuplicates() {
        return deliveries.explainsDuplicates();
    }

    /** These offsets are committed. */
    void committed(Map<TopicPartition, OffsetAndMetadata> offsets) {
        deliveries.committed(offsets);
    }

    /** Where a seek to this offset may go. */
    long limited(TopicPartition partition, long offset) {
        long limited = withinLog(
                partition,
                Math.min(pending.soughtBack().limited(partition, offset), pending.leftBelow(partition, offset)),
                offset);
        if (limited < offset) {
            log.warn(
                    "A seek of partition {} to offset {} would pass records that are delivered again: it goes to {}",
                    partition,
                    offset,
                    limited);
        }
        return limited;
    }

    /** Not below the log's start, where {@code auto.offset.reset} would decide. */
    private long withinLog(TopicPartition partition, long lower, long offset) {
        Consumer<?, ?> target = lower < offset ? consumer.target() : null;
        return target == null
                ? lower
                : LogStarts.within(Map.of(partition, lower), target).getOrDefault(partition, lower);
    }

    /** Where seeks go that name no offset. */
    public SeekTargets seekTargets() {
        return new SeekTargets(consumer, wakeUps);
    }

    boolean isLimited(TopicPartition partition) {
        return pending.soughtBack().isLimited(partition);
    }

    WakeUps wakeUps() {
        return wakeUps;
    }

    /**
     * Whether the poll that begins now isn't the container's: a listener, an error handler or an interceptor may poll while
     * the container has records. What it polls reaches no listener.
     */
    boolean isPolledElsewhere() {
        return holders > 0 || consumer.isPolledElsewhere();
    }

    /** Whether somebody else than the container polls right now. */
    public boolean isInOthersPoll() {
        return elsewhere;
    }

    /** A poll begins; the container's own begins its next round. Returns how long the consumer may poll. */
    @Nullable
    Object beforePoll(Consumer<?, ?> target, @Nullable Object timeout, boolean elsewhere) throws Throwable {
        seen = true;
        claims.beforePoll();
        if (!elsewhere) {
            ConsumerRecords<?, ?> kept = consumer.kept();
            pending.polled(kept);
            outstanding.goneOn(kept);
            fetchAgain.dropped(target, kept);
            fetchAgain.awaited(target);
            commitUnsent(target);
        }
        // May wake the consumer up from its own thread; the poll that follows then ends at once.
        holds.endDue();
        return timeout instanceof Duration duration ? shortened(duration, elsewhere) : timeout;
    }

    /** Commits what an acknowledgment cannot commit any more. If that fails, it is tried again before the next poll. */
    private void commitUnsent(Consumer<?, ?> target) {
        Map<TopicPartition, OffsetAndMetadata> unsent = new HashMap<>();
        pending.takeUnsent().forEach((partition, offset) -> unsent.put(partition, new OffsetAndMetadata(offset)));
        if (unsent.isEmpty()) {
            return;
        }
        try {
            // The offsets that it names are null if the consumer of the new group protocol has failed.
            target.commitAsync(unsent, (offsets, failure) -> {
                if (failure == null) {
                    committed(unsent);
                    return;
                }
                pending.unsent(unsent.keySet());
                if (!(failure instanceof RebalanceInProgressException)) {
                    log.warn("Cannot commit {} now; trying again before the next poll", unsent, failure);
                }
            });
        } catch (RuntimeException e) { // for example interrupted
            pending.unsent(unsent.keySet());
            throw e;
        }
    }

    /**
     * If the container dropped polled records after an exception, the next poll begins there.
     *
     * @throws Throwable what the consumer throws; the next poll tries again
     */
    void fetchDropped(Consumer<?, ?> target) throws Throwable {
        if (holders == 0 && !leaving) {
            fetchAgain.dropped(target, consumer.kept());
        }
    }

    /**
     * Polls, but not what lies behind dropped records that cannot be fetched again yet: the poll may find their partition's
     * position, and go on from there. If it isn't the container's poll, it polls nothing.
     *
     * @throws Throwable what the poll throws
     */
    @Nullable
    Object poll(Consumer<?, ?> target, boolean elsewhere, WakeUps.Call<Object> poll) throws Throwable {
        if (!elsewhere && !outstanding.dropIsSuspected() && pausedForPoll.isEmpty()) {
            return leaving(poll);
        }
        resume(target);
        Set<TopicPartition> waiting = new HashSet<>(target.assignment());
        if (!elsewhere) {
            waiting.retainAll(outstanding.offsets().keySet());
        }
        waiting.removeAll(target.paused());
        pausedForPoll.addAll(waiting);
        target.pause(waiting);
        this.elsewhere = elsewhere;
        try {
            return leaving(poll);
        } finally {
            this.elsewhere = false;
            resume(target);
        }
    }

    private @Nullable Object leaving(WakeUps.Call<Object> call) throws Throwable {
        boolean before = leaving;
        leaving = true;
        try {
            return call.call();
        } finally {
            leaving = before;
        }
    }

    /**
     * The position to answer. With fixTxOffsets the container commits what it is answered, and the consumer's own position
     * is past the records that the container has: these count as not polled.
     *
     * <p>Two get the consumer's own position. The listener and the error handler do, except while partitions may leave: the
     * container asks then. The container does when it has just polled: it corrects no offset of a partition whose position
     * it finds moved since.
     */
    long position(TopicPartition partition, long position) {
        boolean user = holders > 0 && !leaving;
        boolean saved = consumer.isPolledByContainer() && !leaving && !outstanding.dropIsSuspected();
        boolean asItIs = user || saved || (!elsewhere && !consumer.isFixingOffsets());
        return asItIs ? position : outstanding.firstOr(partition, position);
    }

    private void resume(Consumer<?, ?> target) {
        try {
            pausedForPoll.retainAll(target.assignment());
            target.resume(pausedForPoll);
            pausedForPoll.clear();
        } catch (Throwable e) { // for example interrupted: the poll's records don't reach the container
            outstanding.suspectDrop();
            throw e;
        }
    }

    private Duration shortened(Duration timeout, boolean elsewhere) {
        Duration shorter = holds.untilNextEnd(timeout);
        boolean waiting = !elsewhere && outstanding.dropIsSuspected();
        if ((pending.isAnyRunning() || waiting) && shorter.compareTo(WHILE_WORK_IS_OPEN) > 0) {
            shorter = WHILE_WORK_IS_OPEN;
        }
        return wakeUps.take() ? Duration.ZERO : shorter;
    }

    /** Takes the polled records, and returns those for the container, in its order. */
    ConsumerRecords<?, ?> polled(ConsumerRecords<?, ?> polled) {
        pending.soughtBack().pollReturned(polled.isEmpty());
        ConsumerRecords<?, ?> records = outstanding.withoutThoseBehindDropped(polled);
        if (records.isEmpty()) {
            return records;
        }
        for (TopicPartition id : records.partitions()) {
            List<? extends ConsumerRecord<?, ?>> ofPartition = records.records(id);
            if (!ofPartition.isEmpty()) { // as it is if an interceptor has taken them
                // A topic that was made again, or a log that was cut, is read again without a seek.
                pending.moved(id, ofPartition.get(0).offset());
                highest.moved(id, ofPartition.get(0).offset());
            }
        }
        outstanding.polled(records);
        deliveries.polled(session, records);
        ConsumerRecords<?, ?> ordered = deferred.last(records);
        claims.polled(new DueDeliveries(ordered, deliveries), ordered.count());
        this.records.polled(ordered);
        return ordered;
    }

    /**
     * Somebody has polled while the container had records. Seeks back to what that brought, for example from a partition
     * that has just arrived, before anybody commits the position. The poll returns nothing: whoever polls to stay in the
     * group would drop these records, and nobody else may handle them beside the listener.
     */
    ConsumerRecords<?, ?> polledElsewhere(ConsumerRecords<?, ?> records, Consumer<?, ?> target) {
        if (records.isEmpty()) {
            return records;
        }
        Map<TopicPartition, Long> back = new HashMap<>();
        records.forEach(record -> back.putIfAbsent(Partitions.of(record), record.offset()));
        back.forEach(target::seek);
        log.info(
                "A listener, an error handler or an interceptor has polled while the container had records. What that"
                        + " brought is fetched again for the listener, from {} on",
                back);
        return ConsumerRecords.empty();
    }

    /**
     * Pauses a partition for a while. Returns false if nothing would end the pause, because the polls aren't watched.
     *
     * @param reason the hold also ends when this is false; null if only time ends it
     */
    public boolean hold(
            MessageListenerContainer container,
            TopicPartition partition,
            Duration time,
            @Nullable BooleanSupplier reason) {
        if (seen) {
            holds.hold(container, partition, time, reason);
        }
        return seen;
    }

    /** The listener has nacked, and the container sleeps before it goes on. */
    public void nacked(Duration sleep) {
        holds.nacked(sleep);
    }

    /** The container, or whoever else has the consumer, is about to pause partitions. */
    void pausing() {
        holds.paused();
    }

    /** It has paused these, perhaps in the middle of a poll: they stay paused. */
    void paused(Collection<?> partitions) {
        pausedForPoll.removeAll(partitions);
    }

    /** Of these paused partitions those that stay paused after the poll: what somebody restores in the middle of it. */
    Set<TopicPartition> pausedByOthers(Set<TopicPartition> paused) {
        Set<TopicPartition> others = new HashSet<>(paused);
        others.removeAll(pausedForPoll);
        return others;
    }

    /**
     * A listener or an error handler has the records and may poll meanwhile, as an error handler does to stay in its
     * group. Such a poll doesn't fetch them again: they would be redelivered after the error handler has given them up.
     * Nor does it bring any others.
     */
    public <T extends @Nullable Object> T holding(Supplier<T> work) {
        handedOut();
        try {
            return work.get();
        } finally {
            handedBack();
        }
    }

    /** What {@link #holding} does before; {@link #handedBack} must follow, whatever happens. */
    public void handedOut() {
        holders++;
    }

    public void handedBack() {
        holders--;
        Consumer<?, ?> unwatched = holders > 0 || seen || pausedForPoll.isEmpty() ? null : consumer.target();
        if (unwatched != null) {
            resume(unwatched);
        }
    }

    /**
     * These have arrived. If polls aren't watched, all that helps is a pause while a listener or an error handler has
     * records: what it polls would be dropped.
     */
    public void assigned(Collection<TopicPartition> partitions, Consumer<?, ?> unwatched) {
        if (holders > 0 && !seen) {
            unwatched.pause(partitions);
            pausedForPoll.addAll(partitions);
        }
    }

    /** These partitions, or all if null, belong to another consumer now. */
    public void revoked(@Nullable Collection<TopicPartition> partitions) {
        deferred.forget(partitions);
        outstanding.forget(partitions);
        highest.forget(partitions);
        if (partitions == null) {
            pausedForPoll.clear();
        } else {
            deliveries.left(partitions);
            pausedForPoll.removeAll(partitions); // assigned again, only others may have paused them
        }
        records.forget(partitions);
    }

    /** The offset to seek to from this position, in order to go back to another: not below the log's start. */
    public long backTo(TopicPartition partition, long offset, long position) {
        Consumer<?, ?> target = offset < position ? consumer.target() : null;
        return target == null
                ? Math.min(offset, position)
                : LogStarts.within(Map.of(partition, offset), target).getOrDefault(partition, offset);
    }

    /**
     * The consumer ends with this call.
     *
     * @throws Throwable what the call throws
     */
    @Nullable
    Object end(WakeUps.Call<Object> call) throws Throwable {
        end();
        try {
            return leaving(call);
        } finally {
            outstanding.forget(null);
        }
    }

    /** The consumer won't poll any more; {@link #revoked} forgets its records. */
    public void end() {
        claims.end();
        holds.endAll();
    }
}
