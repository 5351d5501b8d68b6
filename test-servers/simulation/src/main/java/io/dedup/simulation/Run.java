package io.dedup.simulation;

import static java.util.Objects.requireNonNull;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.DedupStoreException;
import io.dedup.Deduplicator;
import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.ResultCodec;
import io.dedup.engine.Deduplicators;
import io.dedup.kafka.KafkaDedup;
import io.dedup.kafka.KafkaDedupBuilder;
import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.policy.DedupMode;
import io.dedup.policy.DedupPolicy;
import io.dedup.policy.OnConflict;
import io.dedup.policy.TransactionSpan;
import io.dedup.simulation.Circumstances.Listening;
import io.dedup.simulation.Circumstances.Replay;
import io.dedup.simulation.Circumstances.StartMistake;
import io.dedup.simulation.Circumstances.UserCall;
import io.dedup.simulation.draw.Draws;
import io.dedup.simulation.draw.MissingIds;
import io.dedup.simulation.judge.PolicyWatch;
import io.dedup.simulation.kafka.SimulatedAdmin;
import io.dedup.simulation.kafka.SimulatedBroker;
import io.dedup.simulation.kafka.SimulatedConsumer;
import io.dedup.simulation.kafka.SimulatedConsumers;
import io.dedup.simulation.kafka.SimulatedProducers;
import io.dedup.simulation.kafka.Trouble;
import io.dedup.simulation.store.DatabaseProcess;
import io.dedup.simulation.store.FailingStore;
import io.dedup.simulation.store.OtherProcess;
import io.dedup.simulation.store.SettableClock;
import io.dedup.simulation.store.SimulatedDatabase;
import io.dedup.store.DedupStore;
import io.dedup.store.StoredRecord;
import io.dedup.store.memory.InMemoryDedupStore;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeansException;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.config.MethodKafkaListenerEndpoint;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.transaction.KafkaTransactionManager;

/** Runs one seed: the real container and the real adapter on a simulated broker, from the first record to the verdict. */
final class Run {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    /** On a busy machine, nothing may happen for longer. */
    private static final Duration STARVED = Duration.ofSeconds(30);
    /** So many polls without an end show that a run has had its time. */
    private static final int MANY_POLLS = 200;

    private static final Duration LEAVES_IN = Duration.ofSeconds(2);
    private static final Duration LOOK = Duration.ofMillis(20);
    /** Polls that must find nothing more to do before a run counts as quiet. */
    private static final int IDLE_POLLS = 60;

    /** How long a run whose last step is over may take to commit and record it, on a busy machine. */
    private static final long SETTLES_IN = TimeUnit.SECONDS.toNanos(1);

    /** Runs containers without deduplication: does spring-kafka itself lose messages, or stand still, in the same circumstances? */
    private static final boolean PLAIN = Boolean.getBoolean("simulation.plain");

    private static final Duration LEASE = Duration.ofSeconds(30);
    /** Longer than any window. */
    private static final Duration WINDOWS = Duration.ofDays(60);

    static final String TOPIC = "orders";
    static final String CONTAINER = "simulated";
    private static final String GROUP = "group";

    private final Scenario scenario;
    private final Circumstances circumstances;
    private final Draws draws;
    private final List<String> steps;
    private final SimulatedBroker broker;
    private final Set<String> ids = new LinkedHashSet<>();
    private final Application application;
    private final SettableClock clock = new SettableClock();
    private final InMemoryDedupStore records =
            new InMemoryDedupStore(clock, InMemoryDedupStore.DEFAULT_ATTEMPT_RETENTION);
    /** In front of the database's records, with the claims of processes in mode TIERED. */
    private final InMemoryDedupStore front =
            new InMemoryDedupStore(clock, InMemoryDedupStore.DEFAULT_ATTEMPT_RETENTION);

    private final SimulatedDatabase database;
    private final ConcurrentMap<String, Integer> storeCalls = new ConcurrentHashMap<>();
    private final Queue<Arrival> arrivals = new ArrayDeque<>();
    private final Map<String, Integer> effectsElsewhere = new HashMap<>();
    private final OtherProcess other;
    private final @Nullable Neighbor neighbor;
    private final BackOffs backOffs = new BackOffs(this::step);
    private final PolicyWatch watch = new PolicyWatch(this::step);
    private volatile @Nullable Observation current;
    private @Nullable SimulatedConsumers consumers;
    private @Nullable String wrongStart;
    private final Set<String> committedEarly = new LinkedHashSet<>();
    private final Set<String> claimsLeft = new LinkedHashSet<>();
    private boolean uncommitted;
    private int expiries;
    private int processes;
    /** How often the lease of each message has ended before its claim, for any reason. */
    private final Map<String, Integer> leasesEnded = new HashMap<>();
    /** The same of this group's listener, whose effect may have happened. */
    private final Map<String, Integer> expired = new HashMap<>();

    /** How often an operator has made a process forget each message, or its window has ended. */
    private final Map<String, Integer> forgotten = new HashMap<>();
    /** How many effects each of them must have. */
    private final Map<String, Integer> owed = new HashMap<>();

    private record Arrival(int number, String id) {}

    private Run(Scenario scenario, List<String> steps) {
        this.scenario = scenario;
        this.steps = steps;
        this.circumstances = (Circumstances) scenario.circumstances();
        this.draws = new Draws(scenario.seed(), scenario.only());
        this.broker = new SimulatedBroker(TOPIC, circumstances.partitions());
        this.application = new Application(
                circumstances,
                draws,
                this::step,
                () -> requireNonNull(current).restart(false),
                new Deaths(),
                this::expire,
                watch,
                broker::begin);
        this.database = new SimulatedDatabase(
                records, !circumstances.impossible().contains(Trouble.Kind.CRASH), draws, this::step);
        this.other = new OtherProcess(
                records,
                circumstances.hasDatabase() ? database : null,
                this::passes,
                TOPIC,
                draws,
                this::step,
                id -> effectsElsewhere.merge(id, 1, Integer::sum));
        this.neighbor = circumstances.neighbor()
                ? new Neighbor(
                        broker, draws, this::step, () -> requireNonNull(current).isDead())
                : null;
        database.observe(application::committed, application::refused, this::pauses);
        broker.watchCommits(this::committed);
    }

    /** @param steps gets the time line; thread-safe */
    static Verdict of(Scenario scenario, List<String> steps) {
        return new Run(scenario, steps).run();
    }

    /** With several consumers, the time line says which one a step is of. */
    private void step(String step) {
        String thread = Thread.currentThread().getName();
        boolean several = circumstances.hasSeveralConsumers() && thread.startsWith(CONTAINER);
        steps.add(several ? thread.substring(CONTAINER.length() + 1, thread.indexOf("-C-")) + ": " + step : step);
    }

    private Verdict run() {
        fill();
        arrive(0, draws.chance(2, "all messages arrive before the first poll"));
        boolean late = draws.happens("all windows", "end before the last process");
        boolean stuck = consume(new Trouble(draws, circumstances.impossible()));
        draws.end();
        if (wrongStart == null && circumstances.refusal() == null) {
            if (!stuck) {
                leaves(true);
            }
            if (late) {
                endWindows();
            }
            step("---- a new process, without faults");
            stuck |= consume(Trouble.none());
            leaves(false);
        }
        other.close();
        return verdict(stuck);
    }

    /**
     * All processes are closed: what have they left?
     *
     * @param faults whether there were any
     */
    private void leaves(boolean faults) {
        if (!PLAIN && !mayLeaveClaims()) {
            Set<String> left = claimed();
            if (circumstances.collects()) {
                left.removeAll(broker.deleted()); // collected, and waiting for a record that is gone
            }
            if (circumstances.leavesFiltered()) {
                left.removeIf(application::filters); // nobody acknowledges it, unless something above it
            }
            claimsLeft.addAll(left);
        }
        step("claims " + claimsLeft + " are left, committed is " + broker.committed());
        uncommitted |= isUncommitted(faults);
    }

    private boolean isUncommitted(boolean faults) {
        // Nobody commits what an interceptor has dropped at a partition's end.
        return circumstances.interception() != Circumstances.Interception.DROPS
                && !circumstances.leavesFiltered()
                && broker.isAnythingUncommitted(faults, this::isRecoveredUncommitted);
    }

    /** The process stands still while it handles a message, for longer than its lease, and another process gets a copy. */
    private void pauses(String id) {
        if (draws.happens("a pause", "past the lease of " + id)) {
            step("the process stands still past its lease of " + id);
            expire();
            if (!circumstances.otherPayloads()) {
                other.copy(id);
            }
        }
    }

    /** How the application's process dies, or stands still, in its own code; those with a database do so at its statements. */
    private final class Deaths implements Application.Deaths {
        @Override
        public void requireAlive() {
            requireNonNull(current).process.requireAlive();
        }

        @Override
        public void mayHappen(String when) {
            Running process = requireNonNull(current).process;
            if (!process.inDatabase()) {
                process.mayDie(when);
            }
            requireAlive();
        }

        @Override
        public void mayPause(String id) {
            if (!requireNonNull(current).process.inDatabase()) {
                pauses(id);
            }
        }
    }

    /** What producers will send, in this order: each message, and later copies of some. */
    private void fill() {
        List<String> sent = new ArrayList<>();
        for (int i = 0; i < circumstances.messages(); i++) {
            sent.add("m" + i);
        }
        for (int i = 0; i < circumstances.messages() / 4; i++) {
            String of = "m" + draws.below(circumstances.messages(), "copy " + i);
            if (draws.below(3, "a copy of " + of) == 0) {
                boolean differs = circumstances.otherPayloads() && draws.below(2, "payload of copy " + i) == 0;
                sent.add(
                        draws.below(sent.size() + 1, "place of copy " + i),
                        differs ? Application.otherPayloadOf(of) : of);
            }
        }
        for (int number = 1; number <= sent.size(); number++) {
            String id = sent.get(number - 1);
            if (draws.unlessLeftOut("send " + number + " " + id)) {
                ids.add(id);
                arrivals.add(new Arrival(number, id));
            }
        }
    }

    /** Some records arrive, or all if {@code atOnce}; some offsets stay without one. */
    private void arrive(int tick, boolean atOnce) {
        int some = draws.below(1 + circumstances.arrivals(), "arrivals at " + tick);
        for (int i = atOnce ? arrivals.size() : some; i > 0; i--) {
            Arrival next = arrivals.poll();
            if (next == null) {
                return;
            }
            if (!application.lacksId(next.id)
                    && !circumstances.otherPayloads()) { // that of the other process is unknown
                other.sent(next.id);
            }
            int partition = draws.below(circumstances.partitions(), "partition of " + next.number);
            if (draws.chance(12, "gap before " + next.number)) {
                broker.gap(partition);
            }
            String id = application.lacksId(next.id) ? null : Application.idOf(next.id);
            long offset = broker.append(partition, id, next.id);
            if (!atOnce) {
                step(next.id + " arrives at " + partition + "@" + offset);
            }
        }
    }

    /** Consumes, in as many processes as it takes, until nothing more happens. Returns whether that took too long. */
    private boolean consume(Trouble trouble) {
        End end = End.CRASHED;
        while (end == End.CRASHED || end == End.RESTARTED) {
            Running process = new Running();
            Deduplicator dedup = deduplicator(process);
            process.dedup = dedup;
            KafkaDedup kafka = adapter(dedup, trouble);
            Deduplicator ofNeighbor = ofNeighbor(process);
            KafkaDedup neighbors = ofNeighbor == null ? null : adapter(ofNeighbor, trouble);
            try {
                application.database(process.inDatabase() ? process.database : null);
                do {
                    end = consume(kafka, neighbors == null ? kafka : neighbors, process, trouble);
                    end = process.dead ? End.CRASHED : end; // it may have died while it was being stopped
                } while (end == End.RESTARTED && !circumstances.changesMode());
            } finally {
                process.close(neighbors, ofNeighbor, kafka, dedup);
            }
            if (end == End.CRASHED) {
                application.crashed();
                expire();
                if (draws.happens("all windows", "end after process " + processes)) {
                    endWindows();
                }
            }
        }
        return end == End.STUCK;
    }

    /** One process: how it reaches the store and the database until it dies. */
    private final class Running {
        private final DedupMode mode = circumstances.modeOf(++processes, draws);

        private final FailingStore store = new FailingStore(
                claims(),
                draws,
                storeCalls,
                call -> mayDieAt("before", call),
                call -> mayDieAt("after", call),
                Run.this::step);

        private final DatabaseProcess database = new DatabaseProcess(
                Run.this.database,
                mode != DedupMode.TIERED,
                () -> requireNonNull(current).restart(true));

        private volatile boolean dead;
        private @Nullable Deduplicator dedup;

        private DedupStore claims() {
            return mode == DedupMode.TIERED
                    ? front
                    : circumstances.hasDatabase() ? Run.this.database.claims() : records;
        }

        /** Whether effects and records are in one transaction. */
        boolean inDatabase() {
            return mode.isTransactional();
        }

        /** Whether what the store has can be lost: a database keeps it. */
        boolean mayLoseRecords() {
            return mode == DedupMode.TIERED || !circumstances.hasDatabase();
        }

        private void mayDieAt(String when, String call) {
            Integer number = storeCalls.get(call);
            if (number != null) { // of those that are counted
                mayDie(when + " " + call + " " + number);
            }
        }

        /** It may die while its containers run. */
        void mayDie(String when) {
            Observation now = current;
            if (now != null
                    && now.process == this
                    && !dead
                    && !circumstances.impossible().contains(Trouble.Kind.CRASH)
                    && draws.happens("the process", "dies " + when)) {
                step("the process dies " + when);
                now.restart(true);
            }
        }

        void requireAlive() {
            if (dead) {
                throw new DeadProcess();
            }
        }

        /** Closes all of it; what is dead waits for nobody. */
        void close(@Nullable AutoCloseable... all) {
            Runnable closing = () -> Stream.of(all).filter(Objects::nonNull).forEach(Run::close);
            if (dead) {
                Thread thread = new Thread(closing, "dead");
                thread.setDaemon(true);
                thread.start();
            } else {
                closing.run();
            }
        }

        void kill() {
            dead = true;
            store.killAtOnce();
            database.kill();
        }
    }

    private static void close(AutoCloseable each) {
        try {
            each.close();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Ends a thread of a process that has died. */
    private static final class DeadProcess extends Error {
        private static final long serialVersionUID = 1L;

        DeadProcess() {
            super("simulated: the process is dead");
        }
    }

    private KafkaDedup adapter(Deduplicator dedup, Trouble trouble) {
        KafkaDedupBuilder builder = KafkaDedup.builder(dedup)
                .id(KafkaMessageIds.header("id"))
                .claimAhead(circumstances.claimAhead())
                .adminClient(settings -> SimulatedAdmin.of(broker, trouble, this::step));
        return (circumstances.replies() ? builder.reply(ResultCodec.utf8()) : builder).build();
    }

    /** All leases end: what was claimed and not recorded may be handled again. */
    private void expire() {
        expiries++;
        Running process = requireNonNull(current).process;
        endLeases(LEASE.multipliedBy(2)).stream()
                .filter(id -> !process.inDatabase() || isNeighbors(id))
                .forEach(id -> expired.merge(id, 1, Integer::sum));
    }

    /** An operator makes the process forget a message that is done, whose effect was undone, and sends it again. */
    private void forget(int tick, Running process) {
        Deduplicator dedup = process.dedup;
        List<String> done =
                known().filter(id -> !isNeighbors(id) && effectsOf(id) > 0).toList();
        if (!forgets() || dedup == null || done.isEmpty() || !draws.happens("an operator", "forgets at poll " + tick)) {
            return;
        }
        String id = done.get(draws.below(done.size(), "forgotten at " + tick));
        OperatorResult result;
        try {
            result = dedup.forget(key(id), LiveLease.RESPECT);
        } catch (DedupStoreException e) {
            step("an operator cannot forget " + id + ": " + e);
            forgotten.merge(id, 1, Integer::sum);
            return;
        }
        step("an operator forgets " + id + ": " + result);
        if (result == OperatorResult.APPLIED) {
            forgotten.merge(id, 1, Integer::sum);
            sendAgain(id, "at " + tick);
        }
    }

    /** All windows are over: whoever sends an ID again means a new message. No process runs then that remembers one. */
    private void endWindows() {
        if (!sendsAgain()) {
            return;
        }
        step("all windows end");
        expire();
        clock.advance(WINDOWS);
        int some = draws.below(4, "new messages after " + processes);
        for (String id : known().toList()) {
            if (isNeighbors(id)) {
                expired.merge(id, 1, Integer::sum);
            } else if (effectsOf(id) > 0) {
                forgotten.merge(id, 1, Integer::sum);
                if (some-- > 0) {
                    sendAgain(id, "after process " + processes);
                }
            }
        }
    }

    private void sendAgain(String id, String when) {
        owed.put(id, effectsOf(id) + 1);
        int partition = draws.below(circumstances.partitions(), "partition of " + id + " " + when);
        step(id + " is sent again: " + partition + "@" + broker.append(partition, id, id));
    }

    /** Whether an operator forgets messages: no process may ask another store than the one that has forgotten. */
    private boolean forgets() {
        return sendsAgain() && !circumstances.changesMode();
    }

    /** Whether what a message is called says what it is, and how often it has been handled. */
    private boolean sendsAgain() {
        return !PLAIN
                && !circumstances.hasRetryTopics()
                && !circumstances.otherPayloads()
                && circumstances.missing() == MissingIds.NONE;
    }

    private int effectsOf(String id) {
        return effectsElsewhere.getOrDefault(id, 0)
                + (circumstances.inKafkaTransaction()
                        ? Collections.frequency(broker.outputs(), id)
                        : application.effects().getOrDefault(id, 0));
    }

    /** The store is wiped, or another server takes its place that hasn't got its last writes; a database keeps its records. */
    private void loseRecords(int tick, Running process) {
        if (!process.mayLoseRecords() || !draws.happens("the store loses records", "at poll " + tick)) {
            return;
        }
        boolean all = draws.below(2, "all records at " + tick) == 0;
        List<String> gone = known().filter(id -> all || draws.below(2, "record of " + id + " at " + tick) == 0)
                .filter(id -> (process.mode == DedupMode.TIERED ? front : records).forget(key(id), LiveLease.OVERRIDE)
                        == OperatorResult.APPLIED)
                .toList();
        step("the store loses its records of " + gone);
        gone.stream()
                .filter(id -> !process.inDatabase() || isNeighbors(id))
                .forEach(id -> expired.merge(id, 1, Integer::sum));
        expiries += process.inDatabase() ? 0 : 1;
    }

    private void passes(Duration time) {
        Set<String> unused = endLeases(time);
    }

    /** Returns the messages whose leases end within this time. */
    private Set<String> endLeases(Duration time) {
        Set<String> ended = claimed();
        clock.advance(time);
        ended.removeAll(claimed());
        ended.forEach(id -> leasesEnded.merge(id, 1, Integer::sum));
        return ended;
    }

    private Deduplicator deduplicator(Running process) {
        TransactionSpan span = circumstances.spansPoll() ? TransactionSpan.POLL : TransactionSpan.RECORD;
        return Deduplicators.builder(process.store.asStore())
                .consumer(GROUP)
                .transactions(process.database)
                .shutdownTimeout(Duration.ofSeconds(1))
                .listener(watch)
                .topic(
                        TOPIC,
                        policy -> times(policy.mode(process.mode).transaction(span))
                                .transactionMaxRecords(Math.max(2, circumstances.transactionRecords()))
                                .transactionMaxTime(
                                        circumstances.transactionsEndInTime()
                                                ? Application.SLOW_HANDLER.dividedBy(2)
                                                : Duration.ofSeconds(1))
                                .onStoreFailure(circumstances.onStoreFailure())
                                .onMissingId(circumstances.onMissingId())
                                .fingerprint(circumstances.otherPayloads())
                                .onConflict(circumstances.onConflict())
                                .missingIdLimit(10_000) // else a process without any ID waits for one, as documented
                                .maxDeaths(circumstances.maxDeaths()))
                .build();
    }

    private @Nullable Deduplicator ofNeighbor(Running process) {
        return neighbor == null
                ? null
                : Deduplicators.builder(process.store.asStore())
                        .consumer(Neighbor.NAME)
                        .shutdownTimeout(Duration.ofSeconds(1))
                        .topic(Neighbor.NAME, Run::times)
                        .build();
    }

    private static DedupPolicy.Builder times(DedupPolicy.Builder policy) {
        return policy.lease(LEASE)
                .maxProcessingTime(LEASE)
                .inFlightWait(Duration.ZERO)
                .maxDeferDelay(Duration.ofMillis(10));
    }

    /** Runs one process's containers until nothing more happens in it, or until it is to end. */
    private End consume(KafkaDedup kafka, KafkaDedup ofNeighbor, Running process, Trouble trouble) {
        Observation observation = new Observation(process);
        current = observation;
        ListenerContainers containers = containers(kafka, trouble, observation);
        if (!starts(kafka, ofNeighbor, containers)) {
            return End.IDLE;
        }
        try {
            if (hasEnded(observation, containers)) {
                return observation.end;
            }
            step("---- no more faults");
            trouble.end();
            draws.end();
            expire(); // a commit that got no answer is decided by the end of its lease
            return hasEnded(observation, containers) ? observation.end : End.STUCK;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } finally {
            if (observation.end == End.IDLE) {
                draws.end();
            }
            containers.stop();
            if (!process.dead) { // a dead one does nothing more
                requireNonNull(consumers).awaitClosed(LEAVES_IN);
            }
        }
    }

    private boolean hasEnded(Observation observation, ListenerContainers containers) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        int before = observation.polls.get();
        while (!observation.ended.tryAcquire(LOOK.toMillis(), TimeUnit.MILLISECONDS)) {
            if (mayStopItself() && !containers.isInExpectedState()) {
                step("spring-kafka stops the container, and the operator starts it again");
                observation.end = End.RESTARTED;
                return true;
            }
            long late = System.nanoTime() - end;
            if (late > 0 && (observation.polls.get() - before > MANY_POLLS || late > STARVED.toNanos())) {
                return false;
            }
        }
        return true;
    }

    /** Without deduplication, too: after a failure, or if it keeps records, and who has paused its consumer resumes it. */
    private boolean mayStopItself() {
        return circumstances.stopsItself()
                || circumstances.userCall() == UserCall.PAUSE_CONSUMER
                || circumstances.pauseImmediate();
    }

    /** Whether the container starts. A supported one must; the others must be refused. */
    private boolean starts(KafkaDedup kafka, KafkaDedup ofNeighbor, ListenerContainers containers) {
        String expected = circumstances.refusal();
        try {
            containers.start(container -> {
                if (!PLAIN && !isDecoratedByInstaller()) {
                    (Neighbor.NAME.equals(container.getGroupId()) ? ofNeighbor : kafka).decorate(container);
                }
                application.afterDecoration(container);
            });
        } catch (IllegalStateException | IllegalArgumentException | BeansException e) {
            if (expected == null || !String.valueOf(e.getMessage()).contains(expected)) {
                wrongStart = "refused: " + e;
            }
            requireNonNull(consumers).begin();
            containers.stop();
            return false;
        }
        requireNonNull(consumers).begin();
        if (expected != null) {
            wrongStart =
                    PLAIN ? null : "not refused: " + expected; // what isn't supported shows nothing of spring-kafka
            containers.stop();
            return false;
        }
        return true;
    }

    private enum End {
        IDLE,
        RESTARTED,
        CRASHED,
        STUCK
    }

    private final class Observation implements SimulatedConsumer.Observer {
        private final Running process;
        private final Semaphore ended = new Semaphore(0);
        private volatile End end = End.STUCK;
        private final AtomicInteger polls = new AtomicInteger();
        private int idlePolls;
        private volatile long lastStep = System.nanoTime();

        Observation(Running process) {
            this.process = process;
        }

        @Override
        public void step(String step) {
            Run.this.step(step);
            idlePolls = 0;
            lastStep = System.nanoTime();
        }

        @Override
        public void polling(int tick) {
            polls.incrementAndGet();
            arrive(tick, false);
            other.tick(tick);
            backOffs.tick();
            forget(tick, process);
            loseRecords(tick, process);
            if (database.tick()) {
                step("leases end");
                expire();
            }
            application.polling(tick);
        }

        @Override
        public boolean isInUserCode() {
            return application.isInUserCode();
        }

        @Override
        public boolean isTimeSimulated() {
            return backOffs.hold();
        }

        @Override
        public void idle() {
            boolean quiet = arrivals.isEmpty() && application.isQuiet() && other.isQuiet();
            if (quiet && ++idlePolls >= IDLE_POLLS && (isSettled() || System.nanoTime() - lastStep > SETTLES_IN)) {
                draws.end(); // nothing happens while it stops
                end = End.IDLE;
                ended.release();
            }
        }

        /** Threads beside the consumers', which record successes, may not have had their turn. */
        private boolean isSettled() {
            return !isUncommitted(false) && claimed().isEmpty();
        }

        @Override
        public boolean isDead() {
            return process.dead;
        }

        @Override
        public void restart(boolean crash) {
            end = crash ? End.CRASHED : End.RESTARTED;
            if (crash) {
                process.kill();
                requireNonNull(consumers).die();
            }
            ended.release();
        }
    }

    private void configure(ContainerProperties properties) {
        properties.setAckMode(circumstances.ackMode());
        properties.setAckCount(3);
        properties.setAckTime(1);
        properties.setPollTimeout(50);
        properties.setShutdownTimeout(5_000);
        properties.setGroupId(GROUP);
        properties.setAsyncAcks(circumstances.asyncAcks()
                || (circumstances.batch() && circumstances.mistake() == StartMistake.ASYNC_ACKS_OF_BATCHES));
        properties.setSyncCommits(!circumstances.asyncCommits());
        properties.setPauseImmediate(circumstances.pauseImmediate());
        properties.setStopImmediate(circumstances.stopImmediate());
        properties.setSubBatchPerPartition(circumstances.subBatches());
        properties.setFixTxOffsets(circumstances.fixTxOffsets());
        if (circumstances.replay() == Replay.WHEN_IDLE) {
            properties.setIdleEventInterval(2L); // milliseconds of real time
        }
    }

    private ConcurrentKafkaListenerContainerFactory<String, String> factory(SimulatedConsumers consumers) {
        ConcurrentKafkaListenerContainerFactory<String, String> factory =
                new ConcurrentKafkaListenerContainerFactory<>();
        factory.setConsumerFactory(consumers);
        configure(factory.getContainerProperties());
        if (circumstances.filter()) {
            factory.setRecordFilterStrategy(record -> application.filters(requireNonNull(record.value())));
            factory.setAckDiscarded(!circumstances.leavesFiltered());
        }
        return factory;
    }

    private boolean isDecoratedByInstaller() {
        return circumstances.hasRetryTopics() && circumstances.mistake() != StartMistake.RETRY_TOPICS_WITHOUT_INSTALLER;
    }

    private ListenerContainers retryTopics(
            KafkaDedup kafka, SimulatedConsumers consumers, Trouble trouble, SimulatedConsumer.Observer observer) {
        backOffs.restarted();
        ConcurrentKafkaListenerContainerFactory<String, String> factory = factory(consumers);
        factory.setAutoStartup(false);
        factory.setConcurrency(circumstances.concurrency());
        if (circumstances.inKafkaTransaction()) {
            factory.getContainerProperties()
                    .setKafkaAwareTransactionManager(new KafkaTransactionManager<>(
                            SimulatedProducers.ofTransactions(broker, trouble, observer)));
        }
        factory.setContainerCustomizer(application::configure);
        return new ListenerContainers(RetryTopics.context(
                circumstances,
                Listeners.retried(circumstances, application),
                factory,
                new KafkaTemplate<>(SimulatedProducers.ofReplies(broker, trouble, observer)),
                backOffs,
                !PLAIN && isDecoratedByInstaller() ? kafka : null));
    }

    private ConcurrentMessageListenerContainer<String, String> ofMethod(
            SimulatedConsumers consumers,
            @Nullable KafkaTemplate<String, String> outputs,
            Trouble trouble,
            SimulatedConsumer.Observer observer) {
        ConcurrentKafkaListenerContainerFactory<String, String> factory = factory(consumers);
        factory.setBatchListener(circumstances.batch());
        if (circumstances.replies()) {
            factory.setReplyTemplate(
                    outputs != null
                            ? outputs
                            : new KafkaTemplate<>(SimulatedProducers.ofReplies(broker, trouble, observer)));
        }
        MethodKafkaListenerEndpoint<String, String> endpoint = Listeners.endpoint(circumstances, application);
        endpoint.setId(CONTAINER);
        endpoint.setTopics(TOPIC);
        return factory.createListenerContainer(endpoint);
    }

    private Map<String, Object> mistakes() {
        return switch (circumstances.mistake()) {
            case AUTO_COMMIT -> Map.of("enable.auto.commit", true);
            case COOPERATIVE_WITHOUT_POST_PROCESSORS ->
                Map.of("partition.assignment.strategy", CooperativeStickyAssignor.class.getName());
            default -> Map.of();
        };
    }

    private ListenerContainers containers(KafkaDedup kafka, Trouble trouble, SimulatedConsumer.Observer observer) {
        SimulatedConsumers made = new SimulatedConsumers(
                broker,
                trouble,
                observer,
                circumstances.reset(),
                circumstances.protocol(),
                circumstances.maxPollRecords(),
                !circumstances.hasSeveralConsumers(),
                mistakes());
        if (circumstances.mistake() == StartMistake.COOPERATIVE_WITHOUT_POST_PROCESSORS) {
            made.ignorePostProcessors();
        }
        consumers = made;
        if (circumstances.hasRetryTopics()) {
            return retryTopics(kafka, made, trouble, observer);
        }
        SimulatedProducers producers = circumstances.inKafkaTransaction()
                ? SimulatedProducers.ofTransactions(broker, trouble, observer)
                : null;
        KafkaTemplate<String, String> outputs = producers == null ? null : new KafkaTemplate<>(producers);
        application.outputs(outputs);
        ConcurrentMessageListenerContainer<String, String> container;
        if (circumstances.listening() == Listening.INTERFACE) {
            container = new ConcurrentMessageListenerContainer<>(made, new ContainerProperties(TOPIC));
            container.getContainerProperties().setMessageListener(Listeners.object(circumstances, application));
            configure(container.getContainerProperties());
        } else {
            container = ofMethod(made, outputs, trouble, observer);
        }
        container.setBeanName(CONTAINER);
        container.setConcurrency(circumstances.concurrency());
        if (producers != null) {
            container
                    .getContainerProperties()
                    .setKafkaAwareTransactionManager(new KafkaTransactionManager<>(producers));
        }
        application.deadLetters(
                circumstances.deadLetters()
                        ? new KafkaTemplate<>(SimulatedProducers.ofReplies(broker, trouble, observer))
                        : null);
        application.configure(container);
        return new ListenerContainers(
                neighbor == null ? List.of(container) : List.of(container, neighbor.container(made, this::configure)));
    }

    private Verdict verdict(boolean stuck) {
        broker.endTransactions();
        List<String> outputs = broker.outputs();
        Set<String> deadLetters = broker.deadLetters();
        Set<String> deleted = broker.deleted();
        Set<String> lost = new LinkedHashSet<>();
        Map<String, Integer> doubled = new TreeMap<>();
        Set<String> undecidable = broker.undecidable();
        Set<String> deadLettered =
                deadLetterRecords().map(ConsumerRecord::value).collect(Collectors.toSet());
        boolean ran = wrongStart == null && circumstances.refusal() == null;
        Map<String, Integer> effectsById = new HashMap<>();
        Map<String, Integer> excusedById = new HashMap<>();
        for (String id : ran ? ids : Set.<String>of()) {
            int effects = effectsOf(id);
            boolean gaveUp = isGivenUp(id, outputs, deadLetters)
                    || (deadLettered.contains(id)
                            && (application.isRejected(id) || application.timesFailed(id) > circumstances.retries()));
            if (effects < owed.getOrDefault(id, 1) && !gaveUp && !deleted.contains(id)) {
                lost.add(id);
            }
            if (circumstances.replies() && isUnanswered(id) && !gaveUp && !deleted.contains(id)) {
                lost.add("reply to " + id);
            }
            if (deadLettered.contains(id) && !deleted.contains(id) && !application.gaveUp(id)) {
                judgeDeadLetters(id, lost, doubled);
            }
            effectsById.merge(Application.idOf(id), effects, Integer::sum);
            excusedById.merge(
                    Application.idOf(id),
                    (undecidable.contains(id) ? 1 : 0) + application.timesUnguarded(id),
                    Integer::sum);
            if (effects > 0 && !PLAIN && application.lacksId(id) && circumstances.missing() != MissingIds.PROCESS) {
                doubled.put(id + " without an ID", effects);
            }
        }
        effectsById.forEach((id, effects) -> {
            // A crash may repeat what was handled and not recorded; so may a commit whose evidence was deleted. Nothing
            // may that is in one transaction with its record.
            int excused = forgotten.getOrDefault(id, 0)
                    + unrecognizable(id)
                    + (circumstances.inDatabase() ? 0 : expired.getOrDefault(id, 0) + excusedById.getOrDefault(id, 0));
            boolean counts = !PLAIN
                    && !application.lacksId(id)
                    && !(circumstances.onConflict() == OnConflict.PROCESS && watch.hasConflict(id));
            if (counts && effects > 1 + excused) {
                doubled.put(id, effects);
            }
            if (watch.deaths(id) > leasesEnded.getOrDefault(id, 0)) {
                lost.add(id + " rejected after " + watch.deaths(id) + " deaths");
            }
        });
        committedEarly.forEach(each -> lost.add("committed too early: " + each));
        if (neighbor != null && ran) {
            neighbor.judge(broker, id -> PLAIN ? Integer.MAX_VALUE - 1 : expired.getOrDefault(id, 0), lost, doubled);
        }
        return new Verdict(
                scenario,
                lost,
                doubled,
                claimsLeft,
                stuck || uncommitted,
                wrongStart,
                draws.happened(),
                List.copyOf(steps));
    }

    /**
     * How many commits of Kafka transactions may have counted as rolled back although they have happened: those without an answer that
     * have moved the group nowhere, because the record was committed before, and forgotten or lost since, or given up and sought back to.
     */
    private int unrecognizable(String id) {
        boolean again = forgotten.containsKey(id)
                || expired.containsKey(id)
                || broker.outputs().contains(Application.DEAD + id);
        return !circumstances.inKafkaTransaction() || !again
                ? 0
                : (int) draws.happened().stream()
                        .filter(event -> event.startsWith("TRANSACTION_"))
                        .count();
    }

    private boolean isGivenUp(String id, Collection<String> outputs, Set<String> deadLetters) {
        return application.gaveUp(id)
                || (application.isSpent(id) && deadLetters.contains(id))
                || outputs.contains(Application.DEAD + id);
    }

    /** A record is committed: from now on a crash loses it, unless it is done. */
    private void committed(ConsumerRecord<String, String> record) {
        String id = record.value();
        if (!record.topic().equals(TOPIC) || mayLeaveClaims()) { // its place doesn't tell what it is
            return;
        }
        List<String> outputs = broker.outputs();
        boolean done = application.effects().containsKey(id)
                || effectsElsewhere.containsKey(id)
                || outputs.contains(id)
                || isGivenUp(id, outputs, broker.deadLetters())
                || broker.deleted().contains(id)
                || broker.hasUncommittedCopy(record) // which still has to be handled
                || broker.passedOn().stream().anyMatch(each -> each.value().equals(id));
        if (!done) {
            step("committed too early: " + Application.place(record));
            committedEarly.add(Application.place(record));
        }
    }

    /** Without {@code commitRecovered} spring-kafka commits what is given up in these with a later record of its partition only. */
    private boolean isRecoveredUncommitted(String id) {
        boolean leftToLaterRecords = circumstances.ackMode() == AckMode.MANUAL_IMMEDIATE
                || circumstances.collects() // what is given up above something unacknowledged
                || circumstances.handsOver()
                || (circumstances.inKafkaTransaction() && !circumstances.commitRecovered());
        return leftToLaterRecords && application.hasFailed(id) && application.hasRecovered(id);
    }

    private Stream<ConsumerRecord<String, String>> deadLetterRecords() {
        return broker.passedOn().stream().filter(each -> each.topic().endsWith(RetryTopics.DEAD_LETTERS));
    }

    /** Each record of the dead-letter topic has been handled, or sent there once more, and was handled again only after a crash. */
    private void judgeDeadLetters(String id, Set<String> lost, Map<String, Integer> doubled) {
        List<ConsumerRecord<String, String>> all =
                deadLetterRecords().filter(each -> each.value().equals(id)).toList();
        if (all.stream().allMatch(each -> application.timesDeadHandled(each) == 0)) {
            lost.add("all dead letters of " + id);
        }
        all.forEach(each -> {
            int handled = application.timesDeadHandled(each);
            if (handled == 0 && !application.hasFailedDead(each)) {
                lost.add("dead letter " + Application.place(each));
            }
            // Its effect isn't in a database transaction.
            if (handled > 1 + expiries && !PLAIN && !circumstances.inDatabase()) {
                doubled.put("dead letter " + Application.place(each), handled);
            }
        });
    }

    /** Without an answer, although this group's listener has handled it: others store none. */
    private boolean isUnanswered(String id) {
        return effectsOf(id) > 0
                && !effectsElsewhere.containsKey(id)
                && !application.hasRecovered(id)
                && !application.lacksId(id) // an unguarded run's answer is spring-kafka's to send
                && application.timesUnguarded(id) == 0
                && !broker.replies().contains(id);
    }

    /**
     * A claim whose transaction's commit got no answer is left to its lease when the broker cannot be asked, and the simulation has no
     * admin client. The place of a record in a topic that was made again may be that of another one. A handler that has collected a
     * record and then forgotten it leaves the claim to its lease, too, if nobody delivers the record again.
     */
    private boolean mayLeaveClaims() {
        return draws.happened().stream()
                .anyMatch(event -> event.startsWith("TRANSACTION_") || event.startsWith("RECREATED"));
    }

    /** The messages whose claims are live. */
    private Set<String> claimed() {
        return known().filter(id -> Stream.of(records, front)
                        .map(store -> store.find(key(id)))
                        .flatMap(Optional::stream)
                        .anyMatch(found -> found.state() == StoredRecord.State.PROCESSING))
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** All IDs. */
    private Stream<String> known() {
        Stream<String> ofNeighbor = neighbor == null ? Stream.empty() : neighbor.ids().stream();
        return Stream.concat(ids.stream().map(Application::idOf).distinct(), ofNeighbor);
    }

    private boolean isNeighbors(String id) {
        return neighbor != null && neighbor.ids().contains(id);
    }

    private DedupKey key(String id) {
        boolean own = !isNeighbors(id);
        return DedupScope.of(own ? GROUP : Neighbor.NAME, own ? TOPIC : Neighbor.NAME)
                .key(id);
    }
}
