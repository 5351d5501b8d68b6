package io.dedup.simulation.share;

import static java.util.Objects.requireNonNull;

import io.dedup.simulation.Scenario;
import io.dedup.simulation.Verdict;
import io.dedup.simulation.draw.Draws;
import io.dedup.simulation.judge.Ledger;
import io.dedup.simulation.store.OtherProcess;
import io.dedup.simulation.store.StoreOutage;
import io.dedup.simulation.threads.Schedule;
import io.dedup.store.StoredRecord;
import io.dedup.store.memory.InMemoryDedupStore;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Runs one seed: processes with the real container and adapter in a simulated share group, from the first record to the verdict. */
final class ShareRun implements ShareBroker.Observer {
    private static final int TICKS_WITH_FAULTS = 60;
    private static final Duration TICK = Duration.ofMillis(700);
    /** A process that has gone is replaced so soon. */
    private static final Duration RESTART = Duration.ofSeconds(1);

    /** So long after the faults, everything must be handled. */
    private static final Duration PATIENCE = Duration.ofHours(1);

    private final Scenario scenario;
    private final ShareCircumstances circumstances;
    private final Draws draws;
    private final ShareWorld world;
    private final InMemoryDedupStore records;
    private final ConcurrentMap<String, Integer> storeCalls = new ConcurrentHashMap<>();
    private final StoreOutage outage;
    private final ShareBroker broker;
    private final OtherProcess other;
    private final Map<Integer, ShareProcess> processes = new LinkedHashMap<>();
    private final List<ShareProcess> all = new ArrayList<>();
    private final Queue<Arrival> arrivals = new ArrayDeque<>();
    private final Set<String> ids = new LinkedHashSet<>();
    private final Map<String, Long> sent = new HashMap<>();
    private final Map<Integer, Integer> unexplained = new HashMap<>();
    private @Nullable String wrongStart;
    private int started;

    private record Arrival(int number, String id) {}

    private ShareRun(Scenario scenario, Draws draws, List<String> steps) {
        this.scenario = scenario;
        this.circumstances = (ShareCircumstances) scenario.circumstances();
        this.draws = draws;
        this.world = new ShareWorld(circumstances, draws, steps);
        this.records = new InMemoryDedupStore(world.schedule::instant, InMemoryDedupStore.DEFAULT_ATTEMPT_RETENTION);
        this.outage = new StoreOutage(
                draws,
                world::step,
                () -> world.ledger.happened(Ledger.Kind.STORE_FAILED, "all"),
                () -> world.ledger.happened(Ledger.Kind.STORE_SLOW, "all"));
        this.broker = new ShareBroker(
                world::now,
                circumstances.partitions(),
                circumstances.deliveries(),
                circumstances.lock().toNanos(),
                circumstances.maxPollRecords(),
                !circumstances.recordLimit(),
                this);
        this.other = new OtherProcess(
                records,
                null,
                time -> world.ledger.happened(Ledger.Kind.CRASHED, "another process"),
                ShareProcess.TOPIC,
                draws,
                step -> {
                    if (!step.startsWith("store:")) { // it has died, and its heartbeats go on
                        world.step(step);
                    }
                },
                id -> world.ledger.effect(id, world.ledger.elsewhere("another process", sent.getOrDefault(id, 0L))));
    }

    /** @param steps gets the time line; thread-safe */
    static Verdict of(Scenario scenario, List<String> steps) {
        Draws draws = new Draws(scenario.seed(), scenario.only());
        AtomicReference<Verdict> verdict = new AtomicReference<>();
        try {
            Schedule.run(draws, () -> verdict.set(new ShareRun(scenario, draws, steps).run()));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return requireNonNull(verdict.get());
    }

    private Verdict run() {
        if (circumstances.implicit()) {
            start(0);
            closeAll();
            return verdict(false);
        }
        fill();
        for (int i = 0; i < circumstances.members(); i++) {
            start(i);
        }
        for (int tick = 0; tick < TICKS_WITH_FAULTS && !isQuiet(); tick++) {
            arrive(tick);
            other.tick(tick);
            disturb(tick);
            pass();
        }
        world.step("---- no more faults");
        draws.end();
        long end = world.now() + PATIENCE.toNanos();
        for (int tick = TICKS_WITH_FAULTS; world.now() < end && !isQuiet(); tick++) {
            arrive(tick);
            other.tick(tick);
            pass();
        }
        boolean stuck = !isQuiet();
        if (stuck) {
            world.step("left: " + broker.left());
        }
        closeAll();
        world.sleep(circumstances.lease().multipliedBy(2)); // of what has died
        return verdict(stuck);
    }

    private void pass() {
        world.sleep(TICK);
        broker.serve();
        processes.values().forEach(ShareProcess::startAgainIfStopped);
    }

    private void closeAll() {
        List.copyOf(processes.values()).forEach(ShareProcess::close);
        all.stream()
                .filter(ShareProcess::isDead)
                .filter(process -> !processes.containsValue(process))
                .forEach(ShareProcess::close);
        other.close();
    }

    private boolean isQuiet() {
        return arrivals.isEmpty() && other.isQuiet() && broker.left().isEmpty();
    }

    /** What producers will send, in this order: each message, and later copies of some. */
    private void fill() {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < circumstances.messages(); i++) {
            all.add("m" + i);
        }
        for (int i = 0; i < circumstances.messages() / 3; i++) {
            String of = "m" + draws.below(circumstances.messages(), "copy " + i);
            if (draws.below(2, "a copy of " + of) == 0) {
                int original = all.indexOf(of);
                all.add(
                        draws.below(2, "a copy at once " + i) == 0
                                ? original + 1
                                : draws.below(all.size() + 1, "place of copy " + i),
                        of);
            }
        }
        for (int number = 1; number <= all.size(); number++) {
            String id = all.get(number - 1);
            if (draws.unlessLeftOut("send " + number + " " + id)) {
                ids.add(id);
                arrivals.add(new Arrival(number, id));
            }
        }
    }

    private void arrive(int tick) {
        boolean atOnce = tick == 0 && draws.chance(3, "all messages arrive before the first fetch");
        int some = atOnce ? arrivals.size() : draws.below(1 + circumstances.arrivals(), "arrivals at " + tick);
        while (some > 0 && !arrivals.isEmpty()) {
            int batch = Math.min(some, 1 + draws.below(circumstances.batchSize(), "batch at " + arrivals.size()));
            Map<Integer, String> idsByNumber = new LinkedHashMap<>();
            for (int i = 0; i < batch && !arrivals.isEmpty(); i++) {
                Arrival next = arrivals.remove();
                sent.put(next.id, world.now());
                other.sent(next.id);
                idsByNumber.put(next.number, next.id);
            }
            int partition = draws.below(circumstances.partitions(), "partition of " + idsByNumber.keySet());
            world.step(idsByNumber + " arrive in " + partition);
            long unused = broker.append(partition, idsByNumber);
            some -= batch;
        }
    }

    private void start(int number) {
        ShareProcess process = new ShareProcess(world, broker, "p" + ++started, records, storeCalls, outage);
        all.add(process);
        processes.put(number, process);
        boolean starts = process.start();
        if (starts == circumstances.implicit()) {
            wrongStart = starts ? "not refused: IMPLICIT" : "refused";
        }
    }

    private void disturb(int tick) {
        for (int member : List.copyOf(processes.keySet())) {
            ShareProcess process = requireNonNull(processes.get(member));
            if (draws.happens("a process", "dies at " + member + " " + tick)) {
                process.crash();
                replace(member);
            } else if (draws.happens("a process", "restarts at " + member + " " + tick)) {
                process.close();
                replace(member);
            } else if (draws.happens("a consumer", "is woken up at " + member + " " + tick)) {
                process.listener().disturbed(); // its container stops
                process.wakeUp(tick);
            }
        }
        if (draws.happens("retention", "at " + tick)) {
            int partition = draws.below(circumstances.partitions(), "retention in " + tick);
            long below = draws.below(1 + Math.toIntExact(broker.size(partition)), "retention below " + tick);
            world.step("records of " + partition + " below " + below + " are deleted");
            broker.deleteRecords(partition, below);
        }
        if (draws.happens("the store is down", "at " + tick)) {
            outage.begin(Duration.ofMillis(200L << draws.below(8, "how long the store is down " + tick)));
        }
        if (draws.happens("the store is wiped", "at " + tick)) {
            world.step("the store is wiped");
            long unused = records.forgetAll();
            world.ledger.happened(Ledger.Kind.STORE_WIPED, "all");
        }
    }

    private void replace(int member) {
        processes.remove(member);
        world.sleep(RESTART);
        start(member);
    }

    @Override
    public void acquired(ShareBroker.Stored record, String member) {
        world.step("the broker delivers " + record + " to " + member);
        if (of(member).hasNeverReachedTheStore()) {
            world.step("although the store has been down since its process began");
            unexplained.merge(record.number, 1, Integer::sum);
        }
    }

    @Override
    public void ended(ShareBroker.Stored record, String member, ShareBroker.End end) {
        world.step(member + ": " + record + " " + end + (record.isArchived() ? ", archived" : ""));
        boolean givenUp = world.isGivenUp(record.id);
        switch (end) {
            case ACCEPTED -> world.ledger.acknowledged(record.id, of(member).name(), givenUp);
            case REJECTED -> world.ledger.deadLettered(record.id, true, givenUp ? 0 : 1);
            case DELETED, MEMBER_LEFT -> {} // each fetch counts, as the README says
            case RELEASED -> {
                if (world.ledger.failures(record.id) == 0) {
                    unexplained.merge(record.number, 1, Integer::sum);
                }
            }
            case LOCK_TIMED_OUT -> {
                if (!of(member).listener().mayLose(record.acquiredAt())) {
                    world.step("nothing explains it");
                    unexplained.merge(record.number, 1, Integer::sum);
                }
            }
        }
        if (record.isArchived() && end != ShareBroker.End.REJECTED) {
            int count = broker.isDeleted(record) ? 0 : unexplained.getOrDefault(record.number, 0);
            world.ledger.deadLettered(record.id, true, givenUp ? 0 : count);
        }
    }

    private ShareProcess of(String member) {
        return all.stream().filter(each -> each.has(member)).findFirst().orElseThrow();
    }

    private Verdict verdict(boolean stuck) {
        Set<String> claimsLeft = new LinkedHashSet<>();
        ShareProcess last = all.get(0);
        for (String id : ids) {
            boolean claimed = records.find(last.dedup().key(ShareProcess.TOPIC, id))
                    .filter(found -> found.state() == StoredRecord.State.PROCESSING)
                    .isPresent();
            if (claimed) {
                claimsLeft.add(id);
            }
        }
        Set<String> lost = new LinkedHashSet<>(world.ledger.lost(ids));
        lost.removeIf(id ->
                (world.ledger.effectsOf(id) > 0 || world.isGivenUp(id)) && !world.ledger.wasAcknowledgedTooEarly(id));
        return new Verdict(
                scenario,
                lost,
                world.ledger.doubled(ids),
                claimsLeft,
                stuck,
                wrongStart,
                draws.happened(),
                world.steps());
    }
}
