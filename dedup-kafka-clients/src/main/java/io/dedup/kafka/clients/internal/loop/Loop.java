package io.dedup.kafka.clients.internal.loop;

import io.dedup.adapter.ConsumerGroup;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.poll.ClaimedPoll;
import io.dedup.adapter.poll.PollBudget;
import io.dedup.adapter.poll.PollTimer;
import io.dedup.adapter.poll.SuccessQueue;
import io.dedup.adapter.poll.WaitingClaims;
import io.dedup.kafka.clients.internal.position.BackOffs;
import io.dedup.kafka.clients.internal.position.Beginnings;
import io.dedup.kafka.clients.internal.position.HandledOffsets;
import io.dedup.kafka.clients.internal.position.PartitionHolds;
import io.dedup.kafka.clients.internal.position.Positions;
import io.dedup.kafka.clients.internal.position.Rebalances;
import io.dedup.kafka.clients.internal.turn.BatchTurns;
import io.dedup.kafka.clients.internal.turn.BatchWork;
import io.dedup.kafka.clients.internal.turn.Deadline;
import io.dedup.kafka.clients.internal.turn.Outcomes;
import io.dedup.kafka.clients.internal.turn.Polled;
import io.dedup.kafka.clients.internal.turn.PolledRecords;
import io.dedup.kafka.clients.internal.turn.RecordTurns;
import io.dedup.kafka.clients.internal.turn.Retries;
import io.dedup.kafka.clients.internal.turn.Work;
import io.dedup.kafka.id.KafkaDeliveries;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToIntFunction;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The steps of a poll. Their order is what keeps messages: whatever the last poll has left unhandled is fetched again
 * before the consumer polls; a partition's beginning is committed before its first record is handled; successes are
 * recorded before their offsets are committed. Used by one thread at a time.
 *
 * @param <K> the type of the records' keys
 * @param <V> the type of the records' values
 */
public final class Loop<K, V> {
    private static final Logger log = LoggerFactory.getLogger("io.dedup.kafka.clients.DedupPoll");

    /** How much of max.poll.interval.ms a commit may take. */
    private static final int SHARE_OF_COMMIT = 4;

    private static final int SHARE_OF_TURNS = 2;

    private static final Duration LEAST_QUESTIONS = Duration.ofSeconds(1);
    private static final Duration PING_AGAIN = Duration.ofSeconds(1);

    private final Consumer<K, V> consumer;
    private final ConsumerGroup group;
    private final KafkaDeliveries deliveries;
    /** Stands for this loop where more is remembered for longer than it lives. */
    private final Object session = new Object();

    private final Duration turnsOfPoll;
    private final PollTimer timer = new PollTimer("dedup-poll-timer", log);
    private final ClaimedPoll claims;
    private final HandledOffsets offsets;
    private final Beginnings beginnings;
    private final Positions positions;
    private final PartitionHolds holds;
    private final Rebalances rebalances;
    private final RecordTurns turns;
    private final BatchTurns batches;
    private final Set<String> topics = new HashSet<>();
    private boolean busy;
    private boolean closed;

    public Loop(
            Consumer<K, V> consumer,
            DedupAdapter engine,
            ConsumerGroup group,
            KafkaDeliveries deliveries,
            Retries retries,
            Duration maxPollInterval,
            @Nullable ConsumerRebalanceListener listener) {
        this.consumer = consumer;
        this.group = group;
        this.deliveries = deliveries;
        this.turnsOfPoll = maxPollInterval.dividedBy(SHARE_OF_TURNS);
        SuccessQueue successes =
                new SuccessQueue(engine, engine.settlements(), timer, new PollBudget(maxPollInterval), log);
        this.claims = new ClaimedPoll(engine, successes, new WaitingClaims(engine, timer, log), log);
        this.offsets =
                new HandledOffsets(consumer, claims::flush, maxPollInterval.dividedBy(SHARE_OF_COMMIT), deliveries);
        this.beginnings = new Beginnings(consumer, offsets);
        this.positions = new Positions(consumer, offsets, questions(maxPollInterval));
        this.holds = new PartitionHolds(consumer, engine::ping);
        BackOffs deferrals = new BackOffs();
        BackOffs failures = new BackOffs();
        this.rebalances = new Rebalances(offsets, beginnings, positions, holds, List.of(deferrals, failures), listener);
        Outcomes outcomes = new Outcomes(positions, holds, deferrals, failures, retries);
        this.turns = new RecordTurns(engine, claims, outcomes);
        this.batches = new BatchTurns(engine, turns, claims, outcomes);
    }

    /** By default, 10 s: an answer that comes too late can lose a record that its handler has sought back to. */
    private static Duration questions(Duration maxPollInterval) {
        Duration share = maxPollInterval.dividedBy(30);
        Duration quarter = maxPollInterval.dividedBy(4);
        Duration least = LEAST_QUESTIONS.compareTo(quarter) < 0 ? LEAST_QUESTIONS : quarter;
        return share.compareTo(least) < 0 ? least : share;
    }

    /** What the consumer has to be subscribed with. */
    public ConsumerRebalanceListener rebalances() {
        return rebalances;
    }

    /** The consumer has these partitions, without subscribing to their topics. */
    public void assigned(Collection<TopicPartition> partitions) {
        beginnings.assigned(partitions);
    }

    public int poll(Duration timeout, Work<K, V> work) {
        return poll(timeout, polled -> turns.handle(polled, work, Deadline.in(turnsOfPoll)));
    }

    public int pollBatch(Duration timeout, BatchWork<K, V> work) {
        return poll(timeout, polled -> batches.handle(polled, work, Deadline.in(turnsOfPoll)));
    }

    private int poll(Duration timeout, ToIntFunction<List<Polled<K, V>>> handle) {
        enter();
        try {
            positions.rewind(); // does nothing, unless it failed at the end of the last poll
            holds.endDue(PING_AGAIN);
            claims.beforePoll();
            ConsumerRecords<K, V> records = consumer.poll(holds.untilNextEnd(timeout));
            positions.polled(records);
            deliveries.polled(session, records);
            int handled = handle(records, handle);
            settle();
            offsets.rethrowWakeUp();
            return handled;
        } finally {
            busy = false;
        }
    }

    private int handle(ConsumerRecords<K, V> records, ToIntFunction<List<Polled<K, V>>> handle) {
        try {
            boolean mayHandle = beginnings.commit(records) && !offsets.isWokenUp();
            return mayHandle && !records.isEmpty() ? handle.applyAsInt(turnsOf(records)) : 0;
        } catch (Throwable e) {
            try {
                settle();
            } catch (RuntimeException | Error second) { // done again with the next poll
                if (second != e) {
                    e.addSuppressed(second);
                }
            }
            throw e;
        }
    }

    private List<Polled<K, V>> turnsOf(ConsumerRecords<K, V> records) {
        records.partitions().forEach(partition -> {
            if (!topics.contains(partition.topic())) {
                group.require(partition.topic());
                topics.add(partition.topic());
            }
        });
        return PolledRecords.of(records, deliveries);
    }

    private void settle() {
        try {
            positions.rewind();
        } finally {
            offsets.commit();
        }
    }

    private void enter() {
        if (closed) {
            throw new IllegalStateException("This DedupPoll is closed");
        }
        if (busy) {
            throw new IllegalStateException(
                    "This DedupPoll is handling records. Call poll and close from its own thread, not from a handler");
        }
        busy = true;
    }

    public void close() {
        if (closed) {
            return;
        }
        enter();
        closed = true;
        try {
            offsets.commit();
        } finally {
            try {
                claims.end();
                timer.close();
            } finally {
                consumer.close();
            }
        }
    }
}
