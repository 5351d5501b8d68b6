package io.dedup.testkit.plan;

import io.dedup.testkit.faults.TcpProxy;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Executes a plan's faults. */
final class Injector {
    private static final int WAYS_TO_CUT = 4;
    private static final int GUESTS = 2;
    private static final int LEAST_DELAY_MILLIS = 3;
    private static final int MOST_DELAY_MILLIS = 30;

    private final @Nullable AppProcesses processes;
    private final List<ProxiedStore> stores;
    private final Traffic traffic;
    private final History history;
    private final int steps;
    private final Duration atMost;
    /** What had passed through the proxies when the application had started. */
    private final Map<ProxiedStore, Long> roundTrips = new HashMap<>();

    private final Map<ProxiedStore, Set<Fault>> hit = new LinkedHashMap<>();
    private int guests;
    private int guestsWithPartitions;
    private int killsBetweenSteps;
    private int killsThatFoundSteps;

    /**
     * @param steps how many steps a handler has; 0 for none that are known
     * @param atMost how long the group may take to assign partitions
     */
    Injector(
            @Nullable AppProcesses processes,
            List<ProxiedStore> stores,
            Traffic traffic,
            History history,
            int steps,
            Duration atMost) {
        this.processes = processes;
        this.stores = stores;
        this.traffic = traffic;
        this.history = history;
        this.steps = steps;
        this.atMost = atMost;
    }

    /** What the application has asked its stores so far is forgotten: a client of a cluster may ask one node only, at first. */
    void begin() {
        stores.forEach(store -> roundTrips.put(store, store.proxy().roundTrips()));
    }

    /** Returns when the fault is over. */
    void carryOut(DrawnPlan.Step step) {
        switch (step.fault()) {
            case KILL -> kill(step);
            case PAUSE -> Objects.requireNonNull(processes).pause(step.victim(), step.length());
            case REBALANCE -> rebalance(step.length());
            case STORE_CUT -> cut(store(step), step.choice() / stores.size() % WAYS_TO_CUT, step.length());
            case SLOW_STORE -> slow(store(step), step);
            case COPIES -> {} // the traffic has them
        }
    }

    /** Whether the fault happens when steps have run; then it must be announced before their messages are sent. */
    boolean waitsForSteps(DrawnPlan.Step step) {
        return step.fault() == Fault.KILL && steps > 0 && step.choice() % 3 > 0;
    }

    /** If effects are counted by steps: in two of three kills between two steps, otherwise at a random moment. */
    private void kill(DrawnPlan.Step step) {
        AppProcesses application = Objects.requireNonNull(processes);
        if (waitsForSteps(step)) {
            boolean found = application.killBetweenSteps(step.victim(), 1 + step.choice() / 3 % (2 * steps));
            killsBetweenSteps++;
            killsThatFoundSteps += found ? 1 : 0;
        } else {
            application.kill(step.victim());
        }
    }

    private ProxiedStore store(DrawnPlan.Step step) {
        ProxiedStore store = stores.get(step.choice() % stores.size());
        hit.computeIfAbsent(store, any -> EnumSet.noneOf(Fault.class)).add(step.fault());
        return store;
    }

    /** One guest after the other: each one's arrival and departure moves partitions. */
    private void rebalance(Duration length) {
        for (int i = 0; i < GUESTS; i++) {
            Instant from = Instant.now();
            boolean took = traffic.visit(length.dividedBy(GUESTS), atMost);
            guests++;
            guestsWithPartitions += took ? 1 : 0;
            happened(
                    Fault.REBALANCE,
                    from,
                    "another member was in the group, and took " + (took ? "partitions" : "no partition"));
        }
    }

    /**
     * A fault that never hit anything would count as survived.
     *
     * @throws IllegalStateException when there was one; says what to change
     */
    void requireHits() {
        hit.forEach((store, faults) -> {
            if (store.proxy().roundTrips() == Objects.requireNonNull(roundTrips.get(store))) {
                throw new IllegalStateException(faults.stream().map(Fault::name).collect(Collectors.joining(" and "))
                        + " hit nothing: the application has asked " + store.name()
                        + " nothing through its proxy on port " + store.proxy().port()
                        + (processes == null ? "" : " since it joined its group") + ". " + store.remedy());
            }
        });
        if (guests > 0 && guestsWithPartitions == 0) {
            throw new IllegalStateException(Fault.REBALANCE + " hit nothing: none of " + guests
                    + " other members of the group was assigned a partition (" + traffic.description()
                    + "). Give the topic more partitions than the group has members, or set faults without "
                    + Fault.REBALANCE);
        }
        if (killsBetweenSteps > 0 && killsThatFoundSteps == 0) {
            throw new IllegalStateException(Fault.KILL + " hit nothing between steps: none of " + killsBetweenSteps
                    + " processes that were to be killed there has run its steps in time (" + traffic.description()
                    + "). Add the listener new " + StepStops.class.getSimpleName()
                    + "() to the application's deduplicators, or send more messages");
        }
    }

    private void cut(ProxiedStore store, int way, Duration length) {
        TcpProxy proxy = store.proxy();
        Instant from = Instant.now();
        switch (way) {
            case 0 -> {
                proxy.refuse();
                proxy.cut();
                last(length, proxy, from, store.name() + " closed and refused connections");
            }
            case 1 -> {
                proxy.freeze();
                last(length, proxy, from, store.name() + " did not answer");
            }
            case 2 -> {
                proxy.halfOpen();
                last(
                        length,
                        proxy,
                        from,
                        store.name() + " had closed its connections, unnoticed by the application (half open)");
            }
            default -> { // only briefly: otherwise everything would time out, as when it doesn't answer
                proxy.dropReplies();
                Pause.of(length.dividedBy(10));
                proxy.cut();
                last(Duration.ZERO, proxy, from, store.name() + " executed requests, but its replies were lost");
            }
        }
    }

    private void slow(ProxiedStore store, DrawnPlan.Step step) {
        int millis = LEAST_DELAY_MILLIS + step.choice() % (MOST_DELAY_MILLIS - LEAST_DELAY_MILLIS + 1);
        Instant from = Instant.now();
        store.proxy().delay(Duration.ofMillis(millis));
        Pause.of(step.length());
        store.proxy().heal();
        happened(Fault.SLOW_STORE, from, store.name() + " was " + 2 * millis + " ms slower");
    }

    private void last(Duration length, TcpProxy proxy, Instant from, String what) {
        Pause.of(length);
        proxy.heal();
        happened(Fault.STORE_CUT, from, what);
    }

    private void happened(Fault fault, Instant from, String what) {
        history.happened(new History.Happening(fault.name(), from, Instant.now(), what));
    }

    /** Ends all faults. */
    void heal() {
        stores.forEach(store -> store.proxy().heal());
    }
}
