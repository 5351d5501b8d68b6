package io.dedup.simulation.rocketmq;

import static java.util.Objects.requireNonNull;

import io.dedup.simulation.Scenario;
import io.dedup.simulation.Verdict;
import io.dedup.simulation.draw.Draws;
import io.dedup.simulation.draw.MissingIds;
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

/** Runs one seed: processes with the real adapter on a simulated broker, from the first message to the verdict. */
final class RocketMqRun {
    private static final int TICKS_WITH_FAULTS = 60;
    private static final Duration TICK = Duration.ofMillis(700);
    /** A process that has gone is replaced so soon. */
    private static final Duration RESTART = Duration.ofSeconds(1);

    /** So long after the faults, everything must be handled. */
    private static final Duration PATIENCE = Duration.ofHours(1);

    private final Scenario scenario;
    private final RocketMqCircumstances circumstances;
    private final Draws draws;
    private final World world;
    private final InMemoryDedupStore records;
    private final ConcurrentMap<String, Integer> storeCalls = new ConcurrentHashMap<>();
    private final StoreOutage outage;
    private final Broker broker;
    private final OtherProcess other;
    private final Map<Integer, Member> processes = new LinkedHashMap<>();
    private final List<Member> all = new ArrayList<>();
    private final Queue<Arrival> arrivals = new ArrayDeque<>();
    private final Set<String> ids = new LinkedHashSet<>();
    private final Map<String, Long> sent = new HashMap<>();
    private int started;

    private record Arrival(int number, String id, boolean hasId) {}

    private RocketMqRun(Scenario scenario, Draws draws, List<String> steps) {
        this.scenario = scenario;
        this.circumstances = (RocketMqCircumstances) scenario.circumstances();
        this.draws = draws;
        this.world = new World(circumstances, draws, steps);
        this.records = new InMemoryDedupStore(world.schedule::instant, InMemoryDedupStore.DEFAULT_ATTEMPT_RETENTION);
        this.outage = new StoreOutage(
                draws,
                world::step,
                () -> world.ledger.happened(Ledger.Kind.STORE_FAILED, "all"),
                () -> world.ledger.happened(Ledger.Kind.STORE_SLOW, "all"));
        this.broker = switch (circumstances.client()) {
            case CONCURRENT, ORDERLY -> new QueueBroker(world);
            default -> new PopBroker(world);
        };
        this.other = new OtherProcess(
                records,
                null,
                time -> world.ledger.happened(Ledger.Kind.CRASHED, "another process"),
                Member.TOPIC,
                draws,
                world::step,
                id -> world.ledger.effect(id, world.ledger.elsewhere("another process", sent.getOrDefault(id, 0L))));
    }

    /** @param steps gets the time line; thread-safe */
    static Verdict of(Scenario scenario, List<String> steps) {
        Draws draws = new Draws(scenario.seed(), scenario.only());
        AtomicReference<Verdict> verdict = new AtomicReference<>();
        try {
            Schedule.run(draws, () -> verdict.set(new RocketMqRun(scenario, draws, steps).run()));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return requireNonNull(verdict.get());
    }

    private Verdict run() {
        fill();
        for (int i = 0; i < circumstances.members(); i++) {
            start(i);
        }
        assign("at first");
        for (int tick = 0; tick < TICKS_WITH_FAULTS && !isQuiet(); tick++) {
            arrive(tick);
            other.tick(tick);
            disturb(tick);
            world.sleep(TICK);
        }
        world.step("---- no more faults");
        draws.end();
        long end = world.now() + PATIENCE.toNanos();
        for (int tick = TICKS_WITH_FAULTS; world.now() < end && !isQuiet(); tick++) {
            arrive(tick);
            other.tick(tick);
            world.sleep(TICK);
        }
        boolean stuck = !isQuiet();
        if (stuck) {
            world.step("left: " + broker.left());
        }
        List.copyOf(processes.values()).forEach(this::close);
        all.stream()
                .filter(Member::isDead)
                .filter(process -> !processes.containsValue(process))
                .forEach(Member::close);
        other.close();
        world.sleep(circumstances.lease().multipliedBy(2)); // of what has died
        return verdict(stuck);
    }

    private boolean isQuiet() {
        return arrivals.isEmpty() && other.isQuiet() && broker.left().isEmpty();
    }

    /** What producers will send, in this order: each message, and later copies of some. */
    private void fill() {
        List<String> sent = new ArrayList<>();
        for (int i = 0; i < circumstances.messages(); i++) {
            sent.add("m" + i);
        }
        for (int i = 0; i < circumstances.messages() / 3; i++) {
            String of = "m" + draws.below(circumstances.messages(), "copy " + i);
            if (draws.below(2, "a copy of " + of) == 0) {
                int original = sent.indexOf(of);
                sent.add(
                        draws.below(2, "a copy at once " + i) == 0
                                ? original + 1
                                : draws.below(sent.size() + 1, "place of copy " + i),
                        of);
            }
        }
        for (int number = 1; number <= sent.size(); number++) {
            String id = sent.get(number - 1);
            boolean without = circumstances.missing() != MissingIds.NONE && draws.below(5, "ID of " + number) == 0;
            if (draws.unlessLeftOut("send " + number + " " + id)) {
                String name = without ? "x" + number : id;
                ids.add(name);
                arrivals.add(new Arrival(number, name, !without));
            }
        }
    }

    private void arrive(int tick) {
        boolean atOnce = tick == 0 && draws.chance(3, "all messages arrive before the first receipt");
        int some = draws.below(1 + circumstances.arrivals(), "arrivals at " + tick);
        for (int i = atOnce ? arrivals.size() : some; i > 0; i--) {
            Arrival next = arrivals.poll();
            if (next == null) {
                return;
            }
            if (next.hasId) {
                sent.put(next.id, world.now());
                other.sent(next.id);
            }
            int group = draws.below(circumstances.queues(), "group of " + next.number);
            world.step(next.number + "=" + next.id + " arrives in " + group);
            broker.send(next.number, next.id, group, next.hasId);
        }
    }

    private void start(int number) {
        Member process = new Member(world, "p" + ++started, records, storeCalls, outage);
        all.add(process);
        processes.put(number, process);
        world.step(process.name() + " starts");
        process.consumes(Consumers.start(world, broker, process, number));
    }

    /** The queues of the older client are divided among those that live. */
    private void assign(String when) {
        if (broker instanceof QueueBroker queues) {
            queues.assign(
                    processes.keySet().stream().mapToInt(Integer::intValue).toArray(), when);
        }
    }

    private void close(Member process) {
        process.close();
        broker.disconnected(process);
    }

    private void disturb(int tick) {
        for (int member : List.copyOf(processes.keySet())) {
            Member process = requireNonNull(processes.get(member));
            if (draws.happens("a process", "dies at " + member + " " + tick)) {
                process.crash();
                broker.disconnected(process);
                replace(member, tick);
            } else if (draws.happens("a process", "restarts at " + member + " " + tick)) {
                close(process);
                replace(member, tick);
            }
        }
        if (draws.happens("the queues", "are assigned again at " + tick)) {
            assign("at " + tick);
        }
        if (draws.happens("the broker", "fails over at " + tick)) {
            world.step("the broker redelivers everything");
            broker.redeliverAll();
        }
        if (draws.happens("the store is down", "at " + tick)) {
            outage.begin(Duration.ofMillis(200L << draws.below(7, "how long the store is down " + tick)));
        }
        if (draws.happens("the store is wiped", "at " + tick)) {
            world.step("the store is wiped");
            long unused = records.forgetAll();
            world.ledger.happened(Ledger.Kind.STORE_WIPED, "all");
        }
    }

    private void replace(int member, int tick) {
        processes.remove(member);
        assign("without " + member + " at " + tick);
        world.sleep(RESTART);
        start(member);
        assign("with " + member + " at " + tick);
    }

    private Verdict verdict(boolean stuck) {
        Set<String> claimsLeft = new LinkedHashSet<>();
        Member last = all.get(0);
        for (String id : ids) {
            boolean claimed = records.find(last.dedup().key(Member.TOPIC, id))
                    .filter(found -> found.state() == StoredRecord.State.PROCESSING)
                    .isPresent();
            if (claimed) {
                claimsLeft.add(id);
            }
        }
        Set<String> unjudged = circumstances.missing() == MissingIds.NONE
                ? Set.of()
                : new LinkedHashSet<>(
                        ids.stream().filter(id -> id.startsWith("x")).toList());
        Set<String> judged = new LinkedHashSet<>(ids);
        judged.removeAll(unjudged);
        return new Verdict(
                scenario,
                world.ledger.lost(judged),
                world.ledger.doubled(judged),
                claimsLeft,
                stuck,
                null,
                draws.happened(),
                world.steps());
    }
}
