package io.dedup.simulation.kafka;

import io.dedup.simulation.kafka.Trouble.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.clients.consumer.SubscriptionPattern;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.jspecify.annotations.Nullable;

/**
 * One member of a {@link SimulatedGroup}: what a Kafka consumer answers, with faults at the calls that were drawn.
 *
 * <p>Used by one thread, but for {@link #wakeup()}. Consumers of the same process look at each other in their polls, one at a time.
 */
public final class SimulatedConsumer implements Consumer<String, String> {
    /** Where a consumer begins that has no committed offset, or one that is out of the log's range. */
    public enum Reset {
        EARLIEST,
        LATEST,
        NONE
    }

    /** What the run watches. */
    public interface Observer {
        /** Notes a step, for a failed run's time line. */
        void step(String step);

        /** All is read, committed or not, and nothing more happens. Called again with each further poll. */
        void idle();

        /**
         * A poll begins; the consumer's thread.
         *
         * @param tick the number of polls so far, without those that only wait
         */
        void polling(int tick);

        /** Whether the application or spring-kafka's code for it has called: the container itself isn't polling. */
        boolean isInUserCode();

        /** Whether something is paused until some more polls were made: they count. */
        boolean isTimeSimulated();

        /** Whether the process has died in the middle of something: nothing reaches the broker any more. */
        boolean isDead();

        /**
         * The container must be stopped, and another one started; returns at once.
         *
         * @param crash whether its process has died
         */
        void restart(boolean crash);
    }

    private static final ConsumerRebalanceListener NO_LISTENER = new ConsumerRebalanceListener() {
        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {}

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {}
    };

    private static final Duration STOP_TAKES = Duration.ofMillis(30);

    private final SimulatedBroker broker;
    private final Trouble trouble;
    private final Observer observer;
    private final Reset reset;
    private final GroupProtocol protocol;
    private final int maxPollRecords;
    private final Turns turns;
    private final SimulatedGroup group;
    private final int number;
    private final AtomicBoolean wakeUp = new AtomicBoolean();

    private final Set<TopicPartition> assignment = new LinkedHashSet<>();
    private final Map<TopicPartition, Long> positions = new HashMap<>();
    /** Positions that are to be found when they are needed: a seek to a log's beginning or its end is lazy. */
    private final Map<TopicPartition, Reset> sought = new HashMap<>();

    private final Set<TopicPartition> paused = new HashSet<>();
    private ConsumerRebalanceListener listener = NO_LISTENER;
    private Set<String> subscription = Set.of();
    /** What the next rebalance takes away, and for how many polls; drawn if it is null. */
    private @Nullable Set<TopicPartition> asked;

    private int away;
    private boolean joined;
    private boolean rebalancing;
    /** Nothing was assigned yet since the last generation: all others have to know of it first. */
    private boolean meeting;

    private boolean fenced;
    private boolean dead;
    private int generation;
    private volatile boolean closed;
    private final List<Runnable> callbacks = new ArrayList<>();

    /** The only consumer of its group. */
    SimulatedConsumer(
            SimulatedBroker broker,
            Trouble trouble,
            Observer observer,
            Reset reset,
            GroupProtocol protocol,
            int maxPollRecords) {
        this(
                broker,
                trouble,
                observer,
                reset,
                protocol,
                maxPollRecords,
                new Turns(broker, trouble, true),
                new SimulatedGroup(broker, trouble));
    }

    SimulatedConsumer(
            SimulatedBroker broker,
            Trouble trouble,
            Observer observer,
            Reset reset,
            GroupProtocol protocol,
            int maxPollRecords,
            Turns turns,
            SimulatedGroup group) {
        this.broker = broker;
        this.trouble = trouble;
        this.observer = observer;
        this.reset = reset;
        this.protocol = protocol;
        this.maxPollRecords = maxPollRecords;
        this.turns = turns;
        this.group = group;
        this.number = turns.add(this);
        group.add(this);
    }

    @Override
    public ConsumerRecords<String, String> poll(Duration timeout) {
        requireOpen();
        turns.await(this);
        throwWakeUp();
        runCallbacks();
        if (observer.isDead()) {
            LockSupport.parkNanos(Math.min(timeout.toNanos(), 200_000));
            throwWakeUp();
            return ConsumerRecords.empty();
        }
        if (turns.ticks(observer.isTimeSimulated())) {
            int tick = broker.tick();
            tick(trouble.atPoll(tick));
            // Not before the rebalance: spring-kafka takes a pause in it for one of all partitions, and stops itself
            // later.
            observer.polling(tick);
        }
        ConsumerRecords<String, String> records = fetch();
        if (records.isEmpty()) {
            if (turns.isIdle()) {
                observer.idle();
            }
            // Real time passes only so that timers of the code under test can end.
            LockSupport.parkNanos(Math.min(timeout.toNanos(), 200_000));
            throwWakeUp();
        } else {
            step("poll: " + describe(records));
        }
        return records;
    }

    private void runCallbacks() {
        List<Runnable> due = List.copyOf(callbacks);
        callbacks.clear();
        due.forEach(Runnable::run);
    }

    private void tick(@Nullable Kind fault) {
        group.tick();
        if (fault == Kind.WAKE_UP) {
            wakeup();
            step("poll: woken up");
            throwWakeUp();
        }
        if ((fault == Kind.RESTART || fault == Kind.CRASH) && !observer.isInUserCode() && turns.mayRestart()) {
            dead = fault == Kind.CRASH;
            step(dead ? "poll: the process dies" : "poll: the operator stops the container");
            observer.restart(dead);
            long end = System.nanoTime() + STOP_TAKES.toNanos();
            while (!turns.areWoken()
                    && System.nanoTime() < end) { // the container wakes its consumers up when it is stopped
                LockSupport.parkNanos(100_000);
            }
            throwWakeUp();
        }
        if (fault == Kind.RETENTION) {
            retention();
        }
        if (fault == Kind.DELETE_RECORDS) {
            deleteRecords();
        }
        if (fault == Kind.RECREATED) {
            step("the topic is deleted and made again");
            broker.recreate();
            group.recreated();
        }
        group(fault);
    }

    /** The next rebalance, which begins with the next poll, takes these away until {@link #giveBack()}. */
    void takeAway(Set<TopicPartition> leaving) {
        asked = Set.copyOf(leaving);
        away = Integer.MAX_VALUE;
    }

    /** The next poll begins a rebalance that gives back what is elsewhere. */
    void giveBack() {
        group.giveBack();
        away = 0;
    }

    private void deleteRecords() {
        for (TopicPartition each : group.partitions()) {
            long begin = broker.begin(each);
            long offset = begin + trouble.below((int) (broker.end(each) - begin) + 1, "deleted of " + each + begin);
            broker.deleteRecords(each, offset);
            step("an administrator deletes " + each + " below " + offset);
        }
    }

    /** Whether it has read all that it can. */
    boolean isIdle() {
        return joined
                && group.isWhole()
                && !rebalancing
                && !meeting
                && isComplete()
                && assignment.stream().allMatch(each -> {
                    Long position = positions.get(each);
                    return position != null && position >= broker.end(each);
                });
    }

    int number() {
        return number;
    }

    int generation() {
        return generation;
    }

    boolean isWaitingForRealTime() {
        return !paused.isEmpty();
    }

    boolean isWoken() {
        return wakeUp.get();
    }

    @Nullable
    Long knownPosition(TopicPartition partition) {
        return positions.get(partition);
    }

    /** The topic is another one. */
    void recreated() {
        sought.clear();
        assignment.forEach(each -> positions.put(each, 0L));
    }

    private void group(@Nullable Kind fault) {
        if (subscription.isEmpty()) {
            return;
        }
        if (!joined) {
            joined = true;
            group.join(this);
            follow();
            return;
        }
        if (fenced || fault == Kind.LOST) {
            if (!fenced) {
                group.expel(this);
            }
            fenced = false;
            rebalancing = false;
            List<TopicPartition> lost = new ArrayList<>(assignment);
            step("poll: lost " + lost);
            takeAway(lost, () -> listener.onPartitionsLost(lost));
            follow();
            return;
        }
        if (generation != group.generation()) { // another one has begun a rebalance
            rebalancing = false;
            follow();
            return;
        }
        if (meeting || !isComplete()) {
            assign();
        }
        if (rebalancing) {
            rebalancing = false;
            finishRebalance();
            return;
        }
        List<TopicPartition> back = group.back();
        if (!back.isEmpty()) {
            step("poll: rebalance gives back " + back);
            group.nextGeneration();
            group.share(back);
            follow();
        } else if (fault == Kind.REBALANCE || asked != null) {
            step("poll: a rebalance begins");
            rebalancing = true;
            if (protocol == GroupProtocol.EAGER) {
                rebalancing = false;
                finishRebalance();
            }
        }
    }

    private void finishRebalance() {
        List<TopicPartition> leaving = new ArrayList<>();
        Set<TopicPartition> these = asked;
        asked = null;
        for (TopicPartition each : group.owned()) {
            if (these == null
                    ? trouble.below(3, each + " leaves in " + group.generation()) == 0
                    : these.contains(each)) {
                leaving.add(each);
            }
        }
        group.nextGeneration();
        step("poll: the rebalance takes away " + leaving);
        leaving.forEach(each ->
                group.takeAway(each, away > 0 ? away : trouble.below(4, each + " is away in " + group.generation())));
        if (protocol == GroupProtocol.EAGER) { // all leave the group, and join it again
            group.nextGeneration();
        }
        follow();
    }

    /** Gives up what isn't its own in the group's last generation, or, eager, everything; and gets what is, if nobody has it. */
    private void follow() {
        List<TopicPartition> own = group.ofOwner(this);
        List<TopicPartition> leaving = assignment.stream()
                .filter(each -> protocol == GroupProtocol.EAGER || !own.contains(each))
                .toList();
        generation = group.generation();
        meeting = true;
        if (!leaving.isEmpty()) {
            takeAway(leaving, () -> listener.onPartitionsRevoked(leaving));
        }
        assign();
    }

    private boolean isComplete() {
        return assignment.containsAll(group.ofOwner(this));
    }

    private void assign() {
        if (protocol == GroupProtocol.EAGER && !group.hasMet()) {
            return;
        }
        List<TopicPartition> added = group.ofOwner(this).stream()
                .filter(each -> !assignment.contains(each) && !group.isHeldByAnother(each, this))
                .toList();
        if (meeting || !added.isEmpty()) {
            meeting = false;
            assignment.addAll(added);
            step("poll: assigned " + added);
            call(() -> listener.onPartitionsAssigned(added));
        }
    }

    private static void call(Runnable callback) {
        try {
            callback.run();
        } catch (KafkaException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new KafkaException("User rebalance callback throws an error", e);
        }
    }

    private void takeAway(List<TopicPartition> partitions, Runnable callback) {
        try {
            call(callback);
        } finally {
            partitions.forEach(each -> {
                assignment.remove(each);
                positions.remove(each);
                sought.remove(each);
                paused.remove(each);
            });
        }
    }

    private ConsumerRecords<String, String> fetch() {
        Map<TopicPartition, List<ConsumerRecord<String, String>>> polled = new LinkedHashMap<>();
        Map<TopicPartition, OffsetAndMetadata> next = new HashMap<>();
        int tick = broker.ticks();
        int left = trouble.chance(2, "poll " + tick + " is short")
                ? 1 + trouble.below(maxPollRecords, "records of poll " + tick)
                : maxPollRecords;
        resolveAll();
        for (TopicPartition each : assignment) {
            if (paused.contains(each) || left == 0) {
                continue;
            }
            long position = resolveInRange(each);
            List<ConsumerRecord<String, String>> records = broker.read(each, position, left);
            if (records.isEmpty()) {
                positions.put(each, Math.max(position, broker.end(each))); // past the gaps at the end
                continue;
            }
            left -= records.size();
            long after = records.get(records.size() - 1).offset() + 1;
            positions.put(each, after);
            next.put(each, new OffsetAndMetadata(after));
            polled.put(each, records);
        }
        return polled.isEmpty() ? ConsumerRecords.empty() : new ConsumerRecords<>(polled, next);
    }

    /** Whoever looks for a position looks for all of them: for what is committed first. */
    private void resolveAll() {
        List<TopicPartition> missing = new ArrayList<>();
        for (TopicPartition each : assignment) {
            if (!positions.containsKey(each) && !sought.containsKey(each) && broker.beginning(each) == null) {
                missing.add(each);
            } else if (!sought.containsKey(each)) {
                resolve(each);
            }
        }
        missing.forEach(this::resolve);
        assignment.forEach(this::resolve);
    }

    /** Where a partition is read on: what was sought, or what is committed, or else what {@code auto.offset.reset} says. */
    private long resolve(TopicPartition partition) {
        Long position = positions.get(partition);
        if (position == null) {
            Reset to = sought.remove(partition);
            Long offset = to == null ? broker.beginning(partition) : null;
            if (to != null) {
                position = to == Reset.EARLIEST ? broker.begin(partition) : broker.end(partition);
            } else if (offset != null) {
                position = offset;
            } else if (reset == Reset.NONE) {
                throw new NoOffsetForPartitionException(partition);
            } else {
                position = reset(partition, null);
            }
            positions.put(partition, position);
        }
        return position;
    }

    /** The same when records are fetched, which shows whether the log has that offset. */
    private long resolveInRange(TopicPartition partition) {
        long position = resolve(partition);
        if (position < broker.begin(partition) || position > broker.end(partition)) {
            if (reset == Reset.NONE) {
                throw new OffsetOutOfRangeException(Map.of(partition, position));
            }
            position = reset(partition, position);
            positions.put(partition, position);
        }
        return position;
    }

    private long reset(TopicPartition partition, @Nullable Long from) {
        step("reset " + partition + " from " + from + " to " + reset);
        if (reset == Reset.EARLIEST) {
            return broker.begin(partition);
        }
        broker.reset(partition);
        return broker.end(partition);
    }

    private void retention() {
        Map<TopicPartition, Long> old = group.oldCommits();
        for (TopicPartition each : group.partitions()) {
            Long committed = old.get(each);
            Long now = broker.committed(each);
            Long position = group.position(each);
            if (committed != null && now != null) {
                committed = Math.min(committed, now); // an error handler's own commit may overtake the container's
            }
            if (committed != null && position != null) {
                committed = Math.min(committed, position); // what is being read isn't old
            }
            if (committed != null && trouble.below(2, each + " is cut at " + broker.ticks()) == 0) {
                broker.deleteBelow(each, committed);
                step("retention deletes " + each + " below " + committed);
            }
        }
    }

    @Override
    public void commitSync() {
        commitSync(allPositions());
    }

    @Override
    public void commitSync(Duration timeout) {
        commitSync();
    }

    @Override
    public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
        commitSync(offsets);
    }

    @Override
    public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets) {
        requireOpen();
        runCallbacks();
        commit(offsets);
    }

    private void commit(Map<TopicPartition, OffsetAndMetadata> offsets) {
        try {
            execute(offsets);
        } catch (RuntimeException e) {
            broker.refused(offsets);
            throw e;
        }
    }

    private void execute(Map<TopicPartition, OffsetAndMetadata> offsets) {
        Kind fault = offsets.isEmpty() ? null : trouble.atCommit();
        if (fault == Kind.WAKE_UP) {
            wakeup();
        }
        if (fault == Kind.CRASH) {
            dyingCommit(offsets);
        }
        if (wakeUp.get()) {
            wokenCommit(offsets);
        }
        if (fault == Kind.COMMIT_IN_REBALANCE) {
            rebalancing = true;
        }
        if (rebalancing) {
            step("commit " + describe(offsets) + ": a rebalance is under way");
            throw new RebalanceInProgressException("simulated: a rebalance is under way");
        }
        if (fault == Kind.COMMIT_FENCED && !fenced) {
            fenced = true;
            group.expel(this);
        }
        if (!isMember()) {
            step("commit " + describe(offsets) + ": not a member");
            throw new CommitFailedException("simulated: the member isn't in the group any more");
        }
        if (fault == Kind.COMMIT_TIMES_OUT) {
            step("commit " + describe(offsets) + ": times out");
            throw new TimeoutException("simulated: no answer to the commit");
        }
        broker.commit(offsets);
        step("commit " + describe(offsets) + (fault == Kind.COMMIT_ANSWER_LOST ? ": the answer is lost" : ""));
        if (fault == Kind.COMMIT_ANSWER_LOST) {
            throw new TimeoutException("simulated: the answer to the commit is lost");
        }
        if (fault == Kind.RETENTION) {
            retention();
        }
    }

    /** A commit that is woken up was mostly sent already: the broker executes it, and nobody learns that. */
    private void wokenCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {
        boolean executed = isMember() && !rebalancing && !trouble.isUnsent();
        if (executed) {
            broker.commit(offsets);
        }
        step("commit " + describe(offsets) + ": woken up" + (executed ? " after it was sent" : ""));
        throwWakeUp();
    }

    private void dyingCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {
        boolean executed = isMember() && !rebalancing && !trouble.isUnsent();
        if (executed) {
            broker.commit(offsets);
        }
        step("commit " + describe(offsets) + ": the process dies" + (executed ? " after it was sent" : ""));
        observer.restart(true);
        throw new TimeoutException("simulated: the process is dead");
    }

    private boolean isMember() {
        return !isDead() && !fenced;
    }

    /** Whether the group has it among its members. */
    boolean isInGroup() {
        return joined && !fenced;
    }

    private boolean isDead() {
        return dead || observer.isDead();
    }

    @Override
    public void commitAsync() {
        commitAsync(null);
    }

    @Override
    public void commitAsync(@Nullable OffsetCommitCallback callback) {
        commitAsync(allPositions(), callback);
    }

    @Override
    public void commitAsync(Map<TopicPartition, OffsetAndMetadata> offsets, @Nullable OffsetCommitCallback callback) {
        Exception failure = null;
        try {
            commit(offsets);
        } catch (WakeupException e) {
            wakeUp.set(true); // an asynchronous commit isn't interrupted
            if (isMember()) {
                broker.commit(offsets);
            }
        } catch (RuntimeException e) {
            failure = e;
        }
        if (callback != null) { // called in a later call of the consumer
            Exception outcome = failure;
            callbacks.add(() -> callback.onComplete(offsets, outcome));
        }
    }

    private Map<TopicPartition, OffsetAndMetadata> allPositions() {
        Map<TopicPartition, OffsetAndMetadata> all = new HashMap<>();
        positions.forEach((partition, offset) -> all.put(partition, new OffsetAndMetadata(offset)));
        return all;
    }

    @Override
    public void seek(TopicPartition partition, long offset) {
        if (offset < 0) {
            throw new IllegalArgumentException("seek offset must not be a negative number");
        }
        requireAssigned(partition);
        step("seek " + partition + " to " + offset);
        sought.remove(partition);
        positions.put(partition, offset);
    }

    @Override
    public void seek(TopicPartition partition, OffsetAndMetadata offset) {
        seek(partition, offset.offset());
    }

    @Override
    public void seekToBeginning(Collection<TopicPartition> partitions) {
        for (TopicPartition each : partitions.isEmpty() ? List.copyOf(assignment) : partitions) {
            seek(each, Reset.EARLIEST);
        }
    }

    @Override
    public void seekToEnd(Collection<TopicPartition> partitions) {
        for (TopicPartition each : partitions.isEmpty() ? List.copyOf(assignment) : partitions) {
            seek(each, Reset.LATEST);
        }
    }

    private void seek(TopicPartition partition, Reset to) {
        requireAssigned(partition);
        step("seek " + partition + " to " + to);
        positions.remove(partition);
        sought.put(partition, to);
    }

    @Override
    public long position(TopicPartition partition) {
        requireAssigned(partition);
        Kind fault = trouble.atPosition();
        if (fault == Kind.WAKE_UP) {
            wakeup();
            step("position: woken up");
        }
        if (fault == Kind.POSITION_TIMES_OUT) {
            step("position: times out");
            throw new TimeoutException("simulated: the position isn't known in time");
        }
        boolean known = positions.containsKey(partition);
        if (fault == Kind.WAKE_UP || !known) {
            throwWakeUp();
        }
        if (!known) {
            resolveAll();
        }
        return resolve(partition);
    }

    @Override
    public long position(TopicPartition partition, Duration timeout) {
        return position(partition);
    }

    @Override
    public Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> partitions) {
        question();
        if (!isDead() && broker.isUnstable(partitions)) {
            // An open transaction is ended after a while; until then the broker returns no offset.
            broker.endTransactions();
            step("committed: unstable");
            throw new TimeoutException("simulated: a transaction is open");
        }
        return broker.stable(partitions);
    }

    @Override
    public Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> partitions, Duration timeout) {
        return committed(partitions);
    }

    @Override
    public Map<TopicPartition, Long> beginningOffsets(Collection<TopicPartition> partitions) {
        question();
        Map<TopicPartition, Long> begins = new HashMap<>();
        partitions.forEach(each -> begins.put(each, broker.begin(each)));
        return begins;
    }

    @Override
    public Map<TopicPartition, Long> beginningOffsets(Collection<TopicPartition> partitions, Duration timeout) {
        return beginningOffsets(partitions);
    }

    @Override
    public Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> partitions) {
        question();
        Map<TopicPartition, Long> ends = new HashMap<>();
        partitions.forEach(each -> ends.put(each, broker.end(each)));
        return ends;
    }

    @Override
    public Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> partitions, Duration timeout) {
        return endOffsets(partitions);
    }

    @Override
    public OptionalLong currentLag(TopicPartition partition) {
        return OptionalLong.empty();
    }

    @Override
    public Set<TopicPartition> assignment() {
        return Set.copyOf(assignment);
    }

    @Override
    public Set<String> subscription() {
        return subscription;
    }

    @Override
    public void subscribe(Collection<String> topics) {
        subscribe(topics, null);
    }

    @Override
    public void subscribe(Collection<String> topics, @Nullable ConsumerRebalanceListener callback) {
        subscription = Set.copyOf(topics);
        topics.forEach(group::topic); // one, always
        listener = callback == null ? NO_LISTENER : callback;
    }

    @Override
    public void subscribe(Pattern pattern, @Nullable ConsumerRebalanceListener callback) {
        subscribe(Set.of(broker.topic()), callback);
    }

    @Override
    public void subscribe(Pattern pattern) {
        subscribe(pattern, null);
    }

    @Override
    public void subscribe(SubscriptionPattern pattern, @Nullable ConsumerRebalanceListener callback) {
        subscribe(Set.of(broker.topic()), callback);
    }

    @Override
    public void subscribe(SubscriptionPattern pattern) {
        subscribe(Set.of(broker.topic()), null);
    }

    @Override
    public void assign(Collection<TopicPartition> partitions) {
        joined = true;
        assignment.clear();
        assignment.addAll(partitions);
        positions.keySet().retainAll(assignment);
        sought.keySet().retainAll(assignment);
        paused.retainAll(assignment);
    }

    @Override
    public void unsubscribe() {
        leave();
        subscription = Set.of();
        joined = false;
    }

    private void leave() {
        if (!assignment.isEmpty()) {
            List<TopicPartition> all = List.copyOf(assignment);
            takeAway(all, () -> listener.onPartitionsRevoked(all));
        }
    }

    @Override
    public Set<TopicPartition> paused() {
        return Set.copyOf(paused);
    }

    @Override
    public void pause(Collection<TopicPartition> partitions) {
        partitions.forEach(this::requireAssigned);
        paused.addAll(partitions);
    }

    @Override
    public void resume(Collection<TopicPartition> partitions) {
        partitions.forEach(this::requireAssigned);
        paused.removeAll(partitions);
    }

    @Override
    @SuppressWarnings("removal") // nothing else makes one with a generation
    public ConsumerGroupMetadata groupMetadata() {
        return new ConsumerGroupMetadata(
                "group", isDead() || fenced ? -2 : group.generation(), "member", java.util.Optional.empty());
    }

    @Override
    public void enforceRebalance() {}

    @Override
    public void enforceRebalance(String reason) {}

    @Override
    public void wakeup() {
        wakeUp.set(true);
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        if (!closed) {
            runCallbacks();
            leave();
            closed = true;
            group.leave(this);
            turns.leave(this);
        }
    }

    @Override
    @SuppressWarnings("deprecation")
    public void close(Duration timeout) {
        close();
    }

    @Override
    public void close(CloseOptions options) {
        close();
    }

    @Override
    public void registerMetricForSubscription(KafkaMetric metric) {}

    @Override
    public void unregisterMetricFromSubscription(KafkaMetric metric) {}

    @Override
    public Uuid clientInstanceId(Duration timeout) {
        return Uuid.ZERO_UUID;
    }

    @Override
    public Map<MetricName, ? extends Metric> metrics() {
        return Map.of();
    }

    @Override
    public List<PartitionInfo> partitionsFor(String topic) {
        return broker.partitions(topic).stream()
                .map(each -> new PartitionInfo(topic, each.partition(), null, null, null))
                .toList();
    }

    @Override
    public List<PartitionInfo> partitionsFor(String topic, Duration timeout) {
        return partitionsFor(topic);
    }

    @Override
    public Map<String, List<PartitionInfo>> listTopics() {
        return Map.of(broker.topic(), partitionsFor(broker.topic())); // nobody asks for others
    }

    @Override
    public Map<String, List<PartitionInfo>> listTopics(Duration timeout) {
        return listTopics();
    }

    @Override
    public Map<TopicPartition, OffsetAndTimestamp> offsetsForTimes(Map<TopicPartition, Long> times) {
        return Map.of();
    }

    @Override
    public Map<TopicPartition, OffsetAndTimestamp> offsetsForTimes(Map<TopicPartition, Long> times, Duration timeout) {
        return offsetsForTimes(times);
    }

    private void question() {
        Kind fault = trouble.atQuestion();
        if (fault == Kind.WAKE_UP) {
            wakeup();
            step("question: woken up");
        }
        throwWakeUp();
        if (fault == Kind.OFFSETS_TIME_OUT) {
            step("question: times out");
            throw new TimeoutException("simulated: no answer about offsets");
        }
    }

    private void throwWakeUp() {
        if (wakeUp.getAndSet(false)) {
            throw new WakeupException();
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("This consumer has already been closed.");
        }
    }

    private void requireAssigned(TopicPartition partition) {
        if (!assignment.contains(partition)) {
            throw new IllegalStateException("No current assignment for partition " + partition);
        }
    }

    private void step(String step) {
        turns.step();
        observer.step(step);
    }

    private static String describe(ConsumerRecords<String, String> records) {
        StringBuilder text = new StringBuilder();
        for (ConsumerRecord<String, String> record : records) {
            text.append(record.partition())
                    .append('@')
                    .append(record.offset())
                    .append('=')
                    .append(record.value())
                    .append(' ');
        }
        return text.toString();
    }

    private static String describe(Map<TopicPartition, OffsetAndMetadata> offsets) {
        Map<Integer, Long> sorted = new TreeMap<>();
        offsets.forEach((partition, offset) -> sorted.put(partition.partition(), offset.offset()));
        return sorted.toString();
    }
}
