package io.dedup.testkit.plan;

import io.dedup.testkit.faults.TcpProxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
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

    /** @param steps how many steps a handler has; 0 for none that are known */
    Injector(@Nullable AppProcesses processes, List<ProxiedStore> stores, Traffic traffic, History history, int steps) {
        this.processes = processes;
        this.stores = stores;
        this.traffic = traffic;
        this.history = history;
        this.steps = steps;
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
            application.killBetweenSteps(step.victim(), 1 + step.choice() / 3 % (2 * steps));
        } else {
            application.kill(step.victim());
        }
    }

    private ProxiedStore store(DrawnPlan.Step step) {
        return stores.get(step.choice() % stores.size());
    }

    /** One guest after the other: each one's arrival and departure moves partitions. */
    private void rebalance(Duration length) {
        for (int i = 0; i < GUESTS; i++) {
            Instant from = Instant.now();
            traffic.visit(length.dividedBy(GUESTS));
            happened(Fault.REBALANCE, from, "another member was in the group");
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
