package io.dedup.simulation;

import static java.util.Objects.requireNonNull;

import io.dedup.policy.OnConflict;
import io.dedup.simulation.Circumstances.OnFailure;
import io.dedup.simulation.Circumstances.Place;
import io.dedup.simulation.Circumstances.Replay;
import io.dedup.simulation.Circumstances.SeekBy;
import io.dedup.simulation.draw.Draws;
import io.dedup.simulation.draw.MissingIds;
import io.dedup.simulation.judge.PolicyWatch;
import io.dedup.simulation.kafka.SimulatedProducers;
import io.dedup.simulation.store.DatabaseProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.listener.AfterRollbackProcessor;
import org.springframework.kafka.listener.BatchListenerFailedException;
import org.springframework.kafka.listener.ConsumerSeekAware.ConsumerSeekCallback;
import org.springframework.kafka.listener.DeadLetterPublishingRecoverer;
import org.springframework.kafka.listener.DefaultAfterRollbackProcessor;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.util.backoff.FixedBackOff;

/** The application whose listener is deduplicated, as the circumstances draw it, and what it has done. */
final class Application {
    /** Before the ID of a message that a transaction has given up. */
    static final String DEAD = "dead: ";

    private static final String OTHER_PAYLOAD = "'";
    private static final int COLLECTED = 3;
    private static final int COLLECTED_BATCHES = 2;
    private static final Duration NACK_SLEEP = Duration.ofMillis(1);
    /** Of real time, which limits transactions. */
    static final Duration SLOW_HANDLER = Duration.ofMillis(20);

    private static final Duration NACKS_APART = Duration.ofMillis(50);

    private final Circumstances circumstances;
    private final Draws draws;
    private final Consumer<String> steps;
    private final UserCalls calls;
    private final Interceptors interceptors;
    private final Rebalances rebalances;
    private final Runnable leasesEnd;
    private final Deaths deaths;
    private final PolicyWatch watch;
    private final ToLongFunction<TopicPartition> logStarts;
    private final Map<String, Integer> failures = new HashMap<>();
    private final Map<String, Integer> deliveries = new HashMap<>();
    private final Map<String, Integer> effects = new LinkedHashMap<>();
    private final Set<String> givenUp = new HashSet<>();
    /** What the error handler has given up, whoever failed: a reply that cannot be sent fails its record. */
    private final Set<String> recovered = new HashSet<>();
    /** What the application has failed with, and how often: only this is its to give up. */
    private final Map<String, Integer> failed = new HashMap<>();

    /** The same by the record's place, of the error handler that is there now: it counts itself so. */
    private final Map<String, Integer> failedAt = new HashMap<>();

    /** What the error handler was asked to give up after as many failures as that takes. */
    private final Set<String> spent = new HashSet<>();

    /** The record of each message whose effect was begun last: a database knows messages only. */
    private final Map<String, ConsumerRecord<?, ?>> begunLast = new HashMap<>();

    /** Records whose handlers run, or have run last, without a claim. */
    private final Set<String> unguarded = new HashSet<>();

    private final Map<String, Integer> unguardedEffects = new HashMap<>();

    /** How often each dead letter was handled, by its place. */
    private final Map<String, Integer> deadHandled = new HashMap<>();

    private final Set<String> deadFailed = new HashSet<>();

    /** The offset of the record of each partition that was handled last. */
    private final Map<TopicPartition, Long> handled = new ConcurrentHashMap<>();

    private final List<Pending> pending = new ArrayList<>();
    private final Map<Integer, List<Collected>> collected = new LinkedHashMap<>();
    private final List<ConsumerRecord<String, String>> collectedBatches = new ArrayList<>();
    private final List<Acknowledgment> collectedAcks = new ArrayList<>();
    private long sleptAt = System.nanoTime() - NACKS_APART.toNanos();
    /** By their topics; the first is that of the messages. */
    private final Map<String, AbstractMessageListenerContainer<String, String>> containers = new LinkedHashMap<>();

    private @Nullable KafkaTemplate<String, String> outputs;
    private @Nullable DatabaseProcess database;
    private @Nullable DeadLetterPublishingRecoverer deadLetters;
    private int begun;
    private final Map<String, Integer> begunTimes = new HashMap<>();
    private boolean writeFailed;
    /** Of each consumer's thread. */
    private final Map<Thread, ConsumerSeekCallback> seekCallbacks = new ConcurrentHashMap<>();

    private int replays;

    /** What ends after its listener's call, in so many polls. */
    private static final class Pending {
        private final Runnable work;
        /** On whose thread it ends; null after a restart. */
        private @Nullable Thread thread = Thread.currentThread();

        private int in;

        Pending(Runnable work, int in) {
            this.work = work;
            this.in = in;
        }
    }

    /** The process in which the application runs. */
    interface Deaths {
        /** Throws if it has died. */
        void requireAlive();

        /**
         * Throws if it has died, or dies now.
         *
         * @param when another text each time
         */
        void mayHappen(String when);

        /** The process may stand still for longer than its leases, before the effect of this message. */
        void mayPause(String id);
    }

    private record Collected(ConsumerRecord<String, String> record, Acknowledgment acknowledgment) {}

    /**
     * @param deaths of its process
     * @param leasesEnd what it has forgotten without a word may be handled again only then
     * @param watch what the policy has done with messages
     */
    Application(
            Circumstances circumstances,
            Draws draws,
            Consumer<String> steps,
            Runnable stop,
            Deaths deaths,
            Runnable leasesEnd,
            PolicyWatch watch,
            ToLongFunction<TopicPartition> logStarts) {
        this.circumstances = circumstances;
        this.draws = draws;
        this.steps = steps;
        this.calls = new UserCalls(circumstances, draws, steps, stop);
        this.interceptors = new Interceptors(circumstances, draws, steps, calls, this::failed);
        this.leasesEnd = leasesEnd;
        this.deaths = deaths;
        this.watch = watch;
        this.logStarts = logStarts;
        this.rebalances = new Rebalances(
                draws,
                steps,
                () -> circumstances.rebalancesFail() && container().isRunning(),
                this::forget,
                this::commit,
                this::replay);
    }

    /** What the process had in memory is gone. */
    void crashed() {
        pending.clear();
        collected.clear();
        collectedBatches.clear();
        collectedAcks.clear();
        calls.crashed();
    }

    /** As applications do that keep the offsets which they have handled, and commit them before partitions leave. */
    private void commit(
            org.apache.kafka.clients.consumer.Consumer<?, ?> consumer, Collection<TopicPartition> partitions) {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        partitions.forEach(each -> Optional.ofNullable(handled.remove(each))
                .ifPresent(offset -> offsets.put(each, new OffsetAndMetadata(offset + 1))));
        if (!circumstances.rebalancesCommit() || offsets.isEmpty()) {
            return;
        }
        steps.accept("the rebalance listener commits what was handled of " + offsets.keySet());
        try {
            consumer.commitSync(offsets);
        } catch (RuntimeException e) {
            steps.accept("and gets " + e);
        }
    }

    private void forget(Collection<TopicPartition> partitions) {
        boolean any = partitions.stream()
                        .map(each -> collected.remove(each.partition()))
                        .filter(Objects::nonNull)
                        .count()
                > 0;
        if (any) {
            leasesEnd.run();
        }
    }

    /** Where the effects go in a Kafka transaction; null outside of one. */
    void outputs(@Nullable KafkaTemplate<String, String> template) {
        outputs = template;
    }

    /** The database in which the effects are; null if they are elsewhere. */
    void database(@Nullable DatabaseProcess process) {
        database = process;
    }

    /** The database has committed the effect of this message. */
    void committed(String id) {
        effects.merge(id, 1, Integer::sum);
    }

    /** The database has refused to commit the effect of this message: the application's failure. */
    void refused(String id) {
        failed(requireNonNull(begunLast.get(id), id));
    }

    /** Sends what is given up to the dead-letter topic; null if nobody keeps it. */
    void deadLetters(@Nullable KafkaTemplate<String, String> template) {
        if (template == null) {
            deadLetters = null;
            return;
        }
        deadLetters = new DeadLetterPublishingRecoverer(
                template, (record, failure) -> new TopicPartition(SimulatedProducers.DEAD_LETTERS, -1));
        deadLetters.setVerifyPartition(false);
    }

    boolean isInUserCode() {
        return calls.isInUserCode();
    }

    /** What the application does beside its listener, on the consumer's thread: acknowledges later, pauses and resumes. */
    void polling(int tick) {
        if (calls.isInUserCode() || !container().isRunning()) {
            return;
        }
        for (Pending each : List.copyOf(pending)) {
            if (each.thread != null && each.thread != Thread.currentThread()) {
                continue;
            }
            if (--each.in <= 0) {
                pending.remove(each);
                each.work.run();
            } else if (circumstances.handsOver()) {
                break; // an acknowledgment covers what is below: one worker, in the order of its records
            }
        }
        if (!collected.isEmpty() && draws.below(10, "flush at " + tick) == 0) {
            List<List<Collected>> all = List.copyOf(collected.values());
            collected.clear();
            all.forEach(this::handleCollected);
        }
        if (!collectedAcks.isEmpty() && draws.below(10, "flush of batches at " + tick) == 0) {
            handleCollectedBatches();
        }
        calls.tick();
        calls.pause(tick, container());
    }

    boolean isQuiet() {
        return pending.isEmpty() && collected.isEmpty() && collectedAcks.isEmpty() && calls.isQuiet();
    }

    private void later(String what, Runnable work) {
        String when = what + " waits, delivery " + deliveries.merge(what, 1, Integer::sum);
        pending.add(new Pending(work, draws.chance(2, when) ? 2 + draws.below(4, when) : 1));
    }

    /** A worker handles the record later, and acknowledges it. */
    private void work(ConsumerRecord<String, String> record, Acknowledgment acknowledgment) {
        later(place(record), () -> {
            effect(record);
            steps.accept("acknowledge " + place(record));
            acknowledgeCalmly(acknowledgment);
        });
    }

    private void acknowledge(@Nullable Acknowledgment acknowledgment) {
        if (acknowledgment == null || !circumstances.isManual()) {
            return;
        }
        acknowledgment.acknowledge();
    }

    private void failed(ConsumerRecord<?, ?> record) {
        failed.merge(String.valueOf(record.value()), 1, Integer::sum);
        failedAt.merge(spot(record), 1, Integer::sum);
    }

    /** A handler has a record. */
    private void called(ConsumerRecord<String, String> record) {
        deaths.requireAlive();
        if (watch.isUnguarded(idOf(requireNonNull(record.value())))) {
            unguarded.add(spot(record));
        } else {
            unguarded.remove(spot(record));
        }
    }

    /** How often this message took effect without a claim: each may be one more effect. */
    int timesUnguarded(String id) {
        return unguardedEffects.getOrDefault(id, 0);
    }

    /** How often each message took effect. */
    Map<String, Integer> effects() {
        return effects;
    }

    /** Whether the application itself gave this message up: it dropped it, or its error handler did. */
    boolean gaveUp(String id) {
        return givenUp.contains(id)
                || interceptors.drops(id)
                || filters(id)
                || (circumstances.missing() == MissingIds.SKIP && lacksId(id))
                || (circumstances.onConflict() == OnConflict.SKIP && watch.hasConflict(idOf(id)));
    }

    /** Whether the application has failed to handle this message, or its policy rejects it. */
    boolean hasFailed(String id) {
        return failed.containsKey(id) || isRejected(id);
    }

    /** Whether the error handler was asked to give this message up, and had as many failures of the application's as that takes. */
    boolean isSpent(String id) {
        return spent.contains(id);
    }

    /** The policy rejects the message, or the application has failed more often than is retried. */
    private boolean mayGiveUp(ConsumerRecord<?, ?> record) {
        // The processor of a transaction counts failed batches, whichever records are in them.
        boolean atOnce = circumstances.inKafkaTransaction()
                ? circumstances.batch()
                : ErrorHandlers.GIVE_UP_AT_ONCE.contains(circumstances.errorHandling());
        return isRejected(String.valueOf(record.value()))
                || failedAt.getOrDefault(spot(record), 0) > (atOnce ? 0 : circumstances.retries());
    }

    /** Whether the policy rejects this message, so that no attempt helps. */
    boolean isRejected(String id) {
        return (circumstances.missing() == MissingIds.FAIL && lacksId(id))
                || (circumstances.onConflict() == OnConflict.FAIL && watch.hasConflict(idOf(id)))
                || watch.deaths(idOf(id)) > 0;
    }

    /** What a message is called that has the ID of this one and another payload. */
    static String otherPayloadOf(String id) {
        return id + OTHER_PAYLOAD;
    }

    /** The ID of a message. */
    static String idOf(String message) {
        return message.endsWith(OTHER_PAYLOAD) ? message.substring(0, message.length() - 1) : message;
    }

    /** Whether this message has no ID; nor have its copies. */
    boolean lacksId(String id) {
        return circumstances.missing() != MissingIds.NONE && draws.below(6, "no ID for " + id) == 0;
    }

    int timesFailed(String id) {
        return failed.getOrDefault(id, 0);
    }

    int timesDeadHandled(ConsumerRecord<?, ?> deadLetter) {
        return deadHandled.getOrDefault(place(deadLetter), 0);
    }

    boolean hasFailedDead(ConsumerRecord<?, ?> deadLetter) {
        return deadFailed.contains(place(deadLetter));
    }

    /** Handles a record of the dead-letter topic. */
    void dead(ConsumerRecord<String, String> record) {
        deaths.requireAlive();
        if (draws.happens("the dead-letter handler", "fails for " + record.value())) {
            steps.accept("the dead-letter handler fails for " + place(record));
            deadFailed.add(place(record)); // and is sent to the topic once more
            throw new IllegalStateException("cannot handle the dead letter " + record.value());
        }
        steps.accept("dead letter handled: " + place(record));
        deadHandled.merge(place(record), 1, Integer::sum);
    }

    private AbstractMessageListenerContainer<String, String> container(String topic) {
        return requireNonNull(containers.get(topic), topic);
    }

    private AbstractMessageListenerContainer<String, String> container() {
        return container(Run.TOPIC);
    }

    /** Whether its error handler gave up a record of this message. */
    boolean hasRecovered(String id) {
        return recovered.contains(id);
    }

    boolean filters(String id) {
        return circumstances.filter() && draws.chance(8, "filter drops " + id);
    }

    void seekCallback(ConsumerSeekCallback callback) {
        seekCallbacks.put(Thread.currentThread(), callback);
    }

    /** Reads again some of what is below these positions, now and then, if the circumstances say so for this moment. */
    void replay(Replay when, Map<TopicPartition, Long> positions, Seek by) {
        if (circumstances.replay() != when
                || !pending.isEmpty()) { // what is sought back while it goes on counts as failed
            return;
        }
        positions.forEach((partition, position) -> {
            String times = partition + ", time " + ++replays;
            long some = position == null ? 0 : Math.min(5, position - logStarts.applyAsLong(partition));
            if (some > 0 && draws.happens("the listener reads again", times)) {
                long offset = position - 1 - draws.below((int) some, "read again: " + times);
                steps.accept("reads again: " + partition + " from " + offset);
                by.seek(partition.topic(), partition.partition(), offset);
            }
        });
    }

    private void replay(
            org.apache.kafka.clients.consumer.Consumer<?, ?> consumer, Collection<TopicPartition> partitions) {
        handled.keySet().removeAll(partitions);
        if (circumstances.replay() != Replay.BY_REBALANCE_LISTENER) {
            return;
        }
        Map<TopicPartition, Long> positions = new LinkedHashMap<>();
        for (TopicPartition each : partitions) {
            try {
                positions.put(each, consumer.position(each));
            } catch (KafkaException e) {
                steps.accept("the rebalance listener doesn't learn the position of " + each);
            }
        }
        replay(
                Replay.BY_REBALANCE_LISTENER,
                positions,
                (topic, partition, offset) -> consumer.seek(new TopicPartition(topic, partition), offset));
    }

    /** A seek of the application's. */
    @FunctionalInterface
    interface Seek {
        void seek(String topic, int partition, long offset);
    }

    /** Begins to handle a record; the future ends later. */
    CompletableFuture<@Nullable Void> begin(ConsumerRecord<String, String> record) {
        called(record);
        CompletableFuture<@Nullable Void> future = new CompletableFuture<>();
        later(place(record), () -> {
            if (fails(record)) {
                future.completeExceptionally(new IllegalStateException("cannot handle " + record.value()));
            } else {
                effect(record);
                future.complete(null);
            }
        });
        return future;
    }

    /** Handles a record of a listener that answers. Returns whether it has; otherwise it has sought back. */
    boolean handles(
            ConsumerRecord<String, String> record,
            @Nullable Acknowledgment acknowledgment,
            org.apache.kafka.clients.consumer.Consumer<?, ?> consumer) {
        callByHandler(false, record, consumer);
        int before = begun;
        handleCalled(record, acknowledgment, consumer);
        return begun > before;
    }

    void handle(
            ConsumerRecord<String, String> record,
            @Nullable Acknowledgment acknowledgment,
            org.apache.kafka.clients.consumer.@Nullable Consumer<?, ?> consumer) {
        callByHandler(false, record, consumer);
        handleCalled(record, acknowledgment, consumer);
    }

    private void callByHandler(
            boolean atEnd,
            ConsumerRecord<String, String> record,
            org.apache.kafka.clients.consumer.@Nullable Consumer<?, ?> consumer) {
        if (circumstances.userCall().isAtEnd() == atEnd) {
            calls.call(Place.HANDLER, record, consumer, container(record.topic()));
        }
    }

    private void handleCalled(
            ConsumerRecord<String, String> record,
            @Nullable Acknowledgment acknowledgment,
            org.apache.kafka.clients.consumer.@Nullable Consumer<?, ?> consumer) {
        called(record);
        if (circumstances.collects()) {
            collect(new Collected(record, requireNonNull(acknowledgment)), requireNonNull(consumer));
            return;
        }
        if (!fails(record)) {
            if (circumstances.asyncAcks() || circumstances.handsOver()) {
                work(record, requireNonNull(acknowledgment));
            } else {
                effect(record);
                handled.put(partition(record), record.offset());
                callByHandler(true, record, consumer);
                acknowledge(acknowledgment);
            }
            return;
        }
        switch (circumstances.onFailure()) {
            case SEEK_BACK -> seek(partition(record), record.offset(), consumer);
            case NACK -> requireNonNull(acknowledgment).nack(Duration.ZERO);
            case NACK_AND_SLEEP -> requireNonNull(acknowledgment).nack(nackSleep());
            case SEEK_AND_THROW -> {
                seek(partition(record), record.offset(), consumer);
                throw new IllegalStateException("cannot handle " + record.value());
            }
            default -> throwFor(record);
        }
    }

    /** As most handlers do, or because the process is in trouble. */
    private void throwFor(ConsumerRecord<String, String> record) {
        String problem = "cannot handle " + record.value();
        if (circumstances.throwsErrors() && draws.below(2, "an Error, failure " + failed.get(record.value())) == 0) {
            throw new AssertionError(problem);
        }
        throw new IllegalStateException(problem);
    }

    /** Handles some records of a partition together, and acknowledges each; or seeks back to the first of them. */
    private void collect(Collected next, org.apache.kafka.clients.consumer.Consumer<?, ?> consumer) {
        if (circumstances.onFailure() == OnFailure.THROW && fails(next.record)) { // it checks each when it gets it
            throw new IllegalStateException("cannot handle " + next.record.value());
        }
        List<Collected> all = collected.computeIfAbsent(next.record.partition(), key -> new ArrayList<>());
        all.removeIf(each -> each.record.offset() == next.record.offset()); // it was delivered before
        all.add(next);
        if (all.size() < COLLECTED) {
            return;
        }
        collected.remove(next.record.partition());
        if (circumstances.onFailure() == OnFailure.THROW || all.stream().noneMatch(each -> fails(each.record))) {
            handleCollected(all);
            return;
        }
        ConsumerRecord<String, String> first = all.get(0).record;
        seek(partition(first), first.offset(), consumer);
        if (circumstances.onFailure() == OnFailure.SEEK_AND_THROW) {
            failed(next.record);
            throw new IllegalStateException("cannot handle what was collected from " + place(first));
        }
    }

    /** Handles several batches together, and acknowledges each; or seeks back to the first record of each partition. */
    private void collect(
            List<ConsumerRecord<String, String>> batch,
            Acknowledgment acknowledgment,
            org.apache.kafka.clients.consumer.Consumer<?, ?> consumer) {
        if (circumstances.onFailure() == OnFailure.THROW && batch.stream().anyMatch(this::fails)) {
            batch.forEach(this::failed); // the exception names no record
            throw new IllegalStateException("cannot handle a batch from " + place(batch.get(0)));
        }
        Set<String> again = new HashSet<>();
        batch.forEach(each -> again.add(place(each)));
        collectedBatches.removeIf(each -> again.contains(place(each))); // it was delivered before
        collectedBatches.addAll(batch);
        collectedAcks.add(acknowledgment);
        if (collectedAcks.size() < COLLECTED_BATCHES) {
            return;
        }
        if (circumstances.onFailure() == OnFailure.THROW
                || collectedBatches.stream().noneMatch(this::fails)) {
            handleCollectedBatches();
            return;
        }
        List<ConsumerRecord<String, String>> all = collectedBatches.stream()
                .filter(each -> consumer.assignment().contains(partition(each)))
                .sorted(Comparator.comparing(ConsumerRecord::offset))
                .toList();
        collectedBatches.clear();
        collectedAcks.clear();
        seekToRest(all, consumer);
        if (circumstances.onFailure() == OnFailure.SEEK_AND_THROW) {
            batch.forEach(this::failed);
            throw new IllegalStateException("cannot handle what was collected up to " + place(batch.get(0)));
        }
    }

    private void handleCollectedBatches() {
        List<Acknowledgment> acknowledgments = List.copyOf(collectedAcks);
        collectedBatches.forEach(this::effect);
        collectedBatches.clear();
        collectedAcks.clear();
        acknowledgments.forEach(this::acknowledgeCalmly);
    }

    private void handleCollected(List<Collected> all) {
        all.forEach(each -> effect(each.record));
        all.forEach(each -> acknowledgeCalmly(each.acknowledgment));
    }

    /** The effect has happened: whoever acknowledges later has nobody to throw to. */
    private void acknowledgeCalmly(Acknowledgment acknowledgment) {
        try {
            acknowledgment.acknowledge();
        } catch (RuntimeException e) {
            steps.accept("acknowledging throws " + e);
        }
    }

    /** spring-kafka itself leaves partitions paused if a second nack with a sleep follows while the first one's lasts. */
    private Duration nackSleep() {
        long now = System.nanoTime();
        if (now - sleptAt < NACKS_APART.toNanos()) {
            return Duration.ZERO;
        }
        sleptAt = now;
        return NACK_SLEEP;
    }

    private void seek(
            TopicPartition partition,
            long offset,
            org.apache.kafka.clients.consumer.@Nullable Consumer<?, ?> consumer) {
        ConsumerSeekCallback callback = seekCallbacks.get(Thread.currentThread());
        if (circumstances.seekBy() == SeekBy.CONSUMER || callback == null) {
            requireNonNull(consumer).seek(partition, offset);
            return;
        }
        steps.accept("seek callback: " + partition + " to " + offset);
        if (circumstances.seekBy() == SeekBy.COMPUTED) {
            callback.seek(partition.topic(), partition.partition(), position -> offset);
        } else {
            callback.seek(partition.topic(), partition.partition(), offset);
        }
    }

    void handle(
            List<ConsumerRecord<String, String>> batch,
            @Nullable Acknowledgment acknowledgment,
            org.apache.kafka.clients.consumer.@Nullable Consumer<?, ?> consumer) {
        Set<TopicPartition> partitions = new HashSet<>();
        for (ConsumerRecord<String, String> record : batch) {
            called(record);
            if (partitions.add(partition(record))) {
                callByHandler(false, record, consumer);
            }
        }
        if (circumstances.collects()) {
            collect(batch, requireNonNull(acknowledgment), requireNonNull(consumer));
            return;
        }
        writeFailed = false;
        try {
            handleAll(batch, acknowledgment, consumer);
        } finally {
            if (writeFailed) { // whatever is thrown then, it names no record
                batch.forEach(this::failed);
            }
        }
    }

    private void handleAll(
            List<ConsumerRecord<String, String>> batch,
            @Nullable Acknowledgment acknowledgment,
            org.apache.kafka.clients.consumer.@Nullable Consumer<?, ?> consumer) {
        if (circumstances.onFailure() == OnFailure.THROW) { // it cannot name a record, so it does everything or nothing
            for (ConsumerRecord<String, String> record : batch) {
                if (fails(record)) {
                    batch.forEach(this::failed);
                    throwFor(record);
                }
            }
        }
        for (int i = 0; i < batch.size(); i++) {
            ConsumerRecord<String, String> record = batch.get(i);
            if (circumstances.onFailure() == OnFailure.THROW || !fails(record)) {
                effect(record);
                if (circumstances.acknowledgesParts() && draws.below(4, "acknowledges at " + place(record)) == 0) {
                    acknowledgeUpTo(i, requireNonNull(acknowledgment));
                }
                continue;
            }
            switch (circumstances.onFailure()) {
                case SEEK_BACK -> {
                    seekToRest(batch.subList(i, batch.size()), consumer);
                    acknowledge(acknowledgment);
                    return;
                }
                case NACK, NACK_AND_SLEEP -> {
                    // spring-kafka commits what is below within this call. If that fails, its error handler gets the
                    // whole batch, also without deduplication.
                    batch.subList(i, batch.size()).forEach(this::failed);
                    requireNonNull(acknowledgment)
                            .nack(i, circumstances.onFailure() == OnFailure.NACK ? Duration.ZERO : nackSleep());
                    return;
                }
                case THROW_NAMED -> throw new BatchListenerFailedException("cannot handle " + record.value(), record);
                default -> {
                    seekToRest(batch.subList(i, batch.size()), consumer);
                    throw new BatchListenerFailedException("cannot handle " + record.value(), record);
                }
            }
        }
        Map<TopicPartition, ConsumerRecord<String, String>> last = new LinkedHashMap<>();
        batch.forEach(each -> last.put(partition(each), each));
        last.values().forEach(each -> callByHandler(true, each, consumer));
        acknowledge(acknowledgment);
    }

    private void acknowledgeUpTo(int index, Acknowledgment acknowledgment) {
        steps.accept("acknowledge up to " + index);
        try {
            acknowledgment.acknowledge(index);
        } catch (RuntimeException e) {
            writeFailed = true;
            throw e;
        }
    }

    /** All that follows is fetched again: each partition from its first record that isn't handled. */
    private void seekToRest(
            List<ConsumerRecord<String, String>> batch,
            org.apache.kafka.clients.consumer.@Nullable Consumer<?, ?> consumer) {
        Map<TopicPartition, Long> rest = new LinkedHashMap<>();
        batch.forEach(each -> rest.putIfAbsent(partition(each), each.offset()));
        try {
            rest.forEach((partition, offset) -> seek(partition, offset, consumer));
        } catch (RuntimeException e) { // for example of a partition that a rebalance has taken
            throw new BatchListenerFailedException("cannot seek", e, batch.get(0)); // those before it are handled
        }
    }

    private boolean fails(ConsumerRecord<String, String> record) {
        String id = requireNonNull(record.value());
        int before = failures.getOrDefault(id, 0);
        String event = id + " fails";
        if (before > draws.below(5, "times " + id) || (before == 0 && !draws.happens("a handler", event))) {
            return false;
        }
        failures.put(id, before + 1);
        failed(record);
        steps.accept("handler fails for " + place(record));
        return true;
    }

    private void effect(ConsumerRecord<String, String> record) {
        String time = record.value() + ", time " + begunTimes.merge(String.valueOf(record.value()), 1, Integer::sum);
        deaths.mayHappen("before the effect of " + time);
        deaths.mayPause(requireNonNull(record.value()));
        steps.accept("effect of " + place(record));
        begun++;
        if (circumstances.transactionsEndInTime() && draws.happens("a slow handler", "for " + time)) {
            steps.accept("which takes long");
            LockSupport.parkNanos(SLOW_HANDLER.toNanos());
        }
        if (unguarded.contains(spot(record))) {
            unguardedEffects.merge(requireNonNull(record.value()), 1, Integer::sum);
        }
        if (database != null) {
            write(record, database);
        } else if (outputs != null) {
            outputs.send("outputs", record.value()).join();
        } else {
            effects.merge(requireNonNull(record.value()), 1, Integer::sum);
        }
        deaths.mayHappen("after the effect of " + time);
    }

    /** A handler should pass on what the database throws; some don't. */
    private void write(ConsumerRecord<String, String> record, DatabaseProcess process) {
        String id = requireNonNull(record.value());
        begunLast.put(id, record);
        try {
            process.effect(id);
        } catch (RuntimeException e) {
            boolean goesOn = draws.chance(3, "the handler of " + id + " goes on after a failure");
            steps.accept("the effect of " + id + " fails" + (goesOn ? ", and the handler goes on" : ""));
            if (goesOn || !process.isUndoneByOthers(e)) {
                failed(record);
                writeFailed = true;
            }
            if (!goesOn) {
                throw e;
            }
        }
    }

    private void recover(
            ConsumerRecord<?, ?> record, org.apache.kafka.clients.consumer.@Nullable Consumer<?, ?> consumer) {
        deaths.requireAlive();
        calls.call(Place.RECOVERER, record, consumer, container());
        if (draws.happens("the recoverer throws", "at " + record.value())) {
            steps.accept("recoverer throws at " + place(record));
            throw new IllegalStateException("the dead-letter topic doesn't answer");
        }
        if (deadLetters != null) {
            steps.accept("dead letter: " + place(record));
            spend(record);
            deadLetters.accept(record, consumer, new IllegalStateException("given up"));
            recovered.add(String.valueOf(record.value()));
        } else {
            giveUp(record);
        }
    }

    private void giveUp(ConsumerRecord<?, ?> record) {
        deaths.requireAlive();
        steps.accept("given up: " + place(record));
        String id = String.valueOf(record.value());
        recovered.add(id);
        if (!spend(record)) {
            return;
        }
        if (circumstances.commitRecovered()) {
            requireNonNull(outputs).send("dead-letters", DEAD + id).join(); // in the transaction of the recovery
        } else {
            givenUp.add(id);
        }
    }

    private boolean spend(ConsumerRecord<?, ?> record) {
        boolean may = mayGiveUp(record);
        if (may) {
            spent.add(String.valueOf(record.value()));
        } else {
            steps.accept("which isn't its to give up after " + failedAt.getOrDefault(spot(record), 0) + " failures");
        }
        return may;
    }

    void configure(AbstractMessageListenerContainer<String, String> container) {
        containers.put(requireNonNull(container.getContainerProperties().getTopics())[0], container);
        failedAt.clear(); // with the error handler
        pending.forEach(each -> each.thread = null);
        calls.restarted();
        interceptors.set(container);
        handled.clear();
        if (circumstances.rebalancesFail()
                || circumstances.rebalancesCommit()
                || circumstances.replay() == Replay.BY_REBALANCE_LISTENER) {
            container.getContainerProperties().setConsumerRebalanceListener(rebalances);
        }
        if (circumstances.hasRetryTopics()) {
            return; // they replace what handles errors
        }
        if (circumstances.inKafkaTransaction()) {
            AfterRollbackProcessor<String, String> processor = new DefaultAfterRollbackProcessor<>(
                    (record, exception) -> giveUp(record),
                    new FixedBackOff(0, circumstances.retries()),
                    circumstances.commitRecovered() ? requireNonNull(outputs) : null,
                    circumstances.commitRecovered());
            container.setAfterRollbackProcessor(processor);
            container.getContainerProperties().setBatchRecoverAfterRollback(true);
        } else {
            container.setCommonErrorHandler(ErrorHandlers.of(
                    circumstances,
                    this::recover,
                    (record, consumer) -> calls.call(Place.ERROR_HANDLER, record, consumer, container)));
        }
    }

    /** What users do too late, after their container was decorated. */
    void afterDecoration(AbstractMessageListenerContainer<String, String> container) {
        switch (circumstances.mistake()) {
            case ERROR_HANDLER_SET_AFTERWARDS, ERROR_HANDLER_IN_TRANSACTION -> {
                if (circumstances.refusal() != null) {
                    container.setCommonErrorHandler(new DefaultErrorHandler());
                }
            }
            case INTERCEPTOR_SET_AFTERWARDS -> {
                if (circumstances.refusal() != null) {
                    container.setRecordInterceptor((record, consumer) -> record);
                }
            }
            default -> {}
        }
    }

    static TopicPartition partition(ConsumerRecord<?, ?> record) {
        return new TopicPartition(record.topic(), record.partition());
    }

    private static String spot(ConsumerRecord<?, ?> record) {
        return partition(record) + "@" + record.offset();
    }

    static String place(ConsumerRecord<?, ?> record) {
        String topic = record.topic().equals(Run.TOPIC) ? "" : record.topic() + " ";
        return topic + record.partition() + "@" + record.offset() + "=" + record.value();
    }
}
