package io.dedup.testkit.plan;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Plays a plan: sends messages, executes faults, and waits. */
final class Player {
    private static final Logger log = LoggerFactory.getLogger(Player.class);
    /** How long a fault waits until the group handles something. */
    private static final Duration IDLE = Duration.ofSeconds(20);

    private final Traffic traffic;
    private final @Nullable AppProcesses processes;
    private final Injector injector;
    private final Observer observer;
    private final History history;
    private final Duration atMost;
    private final Duration quiet;

    /** @param quiet effects are final when none has appeared for this long */
    Player(
            Traffic traffic,
            @Nullable AppProcesses processes,
            Injector injector,
            Observer observer,
            History history,
            Duration atMost,
            Duration quiet) {
        this.traffic = traffic;
        this.processes = processes;
        this.injector = injector;
        this.observer = observer;
        this.history = history;
        this.atMost = atMost;
        this.quiet = quiet;
    }

    /** Returns when all sent messages are acknowledged and no more effects appear, or when the time is over. */
    Observer.Look play(DrawnPlan plan) {
        if (processes != null) {
            processes.start();
        }
        injector.begin();
        observer.start();
        for (DrawnPlan.Step step : plan.steps()) {
            play(step);
            if (!goesOn()) {
                history.brokenOff(step.fault());
                break;
            }
        }
        injector.heal();
        send(plan.last());
        awaitAcked();
        return awaitSettled();
    }

    private void play(DrawnPlan.Step step) {
        if (processes != null && step.fault().hitsProcess()) {
            processes.awaitJoined(); // a process that hasn't joined has no work to interrupt, and the others must be
            // able to take over
        }
        log.info(
                "Fault plan: {} in {} ms, {} messages meanwhile",
                step.fault(),
                step.moment().toMillis(),
                step.sends().size());
        Observer.Look before = observer.now();
        int sentBefore = history.sent().size();
        CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> send(step.sends()), Player::onThread);
        if (!injector.waitsForSteps(step)) {
            Pause.of(step.moment());
            if (!awaitWork(step.fault(), before, sentBefore, sending)) {
                log.warn("Fault plan: {} meets a group that has no work in progress", step.fault());
                history.withoutWork(step.fault());
            }
        }
        injector.carryOut(step);
        try {
            sending.join();
        } catch (CompletionException e) {
            throw new IllegalStateException("Cannot send to " + traffic.description(), e.getCause());
        }
    }

    /**
     * On a slow machine, no process may have started with the step's messages at the fault's moment, which would then
     * interrupt nothing. A quick group may have handled all that was sent; then a fault that lasts meets what follows, and a
     * kill waits for it.
     *
     * @return whether the fault will meet any work
     */
    private boolean awaitWork(Fault fault, Observer.Look before, int sentBefore, CompletableFuture<Void> sending) {
        long end = System.nanoTime() + Math.min(IDLE.toNanos(), atMost.toNanos());
        while (System.nanoTime() - end < 0) {
            boolean allSent = sending.isDone();
            boolean sent = history.sent().size() > sentBefore;
            Observer.Look look = observer.now();
            if (look.unacked().isEmpty() && (allSent || (sent && fault != Fault.KILL))) {
                return !allSent;
            }
            if (!look.unacked().isEmpty() && !look.bySteps().equals(before.bySteps())) {
                return true;
            }
            Pause.shortly();
        }
        return false;
    }

    private static void onThread(Runnable work) {
        Thread thread = new Thread(work, "fault-plan-sender");
        thread.setDaemon(true);
        thread.start();
    }

    /** Sends each message at its time; returns when the broker has all of them. */
    private void send(List<DrawnPlan.Send> sends) {
        long begin = System.nanoTime();
        List<CompletableFuture<Void>> sending = new ArrayList<>();
        for (DrawnPlan.Send send : sends) {
            Duration early = Duration.ofMillis(send.at()).minusNanos(System.nanoTime() - begin);
            if (!early.isNegative()) {
                Pause.of(early);
            }
            sending.add(traffic.send(send.number(), send.place()).thenAccept(history::sent));
        }
        sending.forEach(CompletableFuture::join);
    }

    /** Whether the application makes progress after the fault. */
    private boolean goesOn() {
        int open = observer.now().unacked().size();
        long end = System.nanoTime() + atMost.toNanos();
        while (open > 0 && observer.now().unacked().size() >= open) {
            if (System.nanoTime() - end > 0) {
                return false;
            }
            revive();
            Pause.shortly();
        }
        return true;
    }

    /** Waits while messages are acknowledged from time to time. */
    private void awaitAcked() {
        int open = observer.now().unacked().size();
        long end = System.nanoTime() + atMost.toNanos();
        while (open > 0 && System.nanoTime() - end < 0) {
            revive();
            Pause.shortly();
            int now = observer.now().unacked().size();
            if (now < open) {
                end = System.nanoTime() + atMost.toNanos();
            }
            open = now;
        }
    }

    /**
     * A listener that acknowledges first and works later, or a run that has lost its lease, may take effect after
     * everything is acknowledged.
     */
    private Observer.Look awaitSettled() {
        Observer.Look look = observer.now();
        Effects.Counts counts = look.bySteps();
        long since = System.nanoTime();
        long end = since + atMost.toNanos();
        while (System.nanoTime() - since < quiet.toNanos() && System.nanoTime() - end < 0) {
            Pause.shortly();
            look = observer.now();
            if (!counts.equals(look.bySteps())) {
                counts = look.bySteps();
                since = System.nanoTime();
            }
        }
        return look;
    }

    private void revive() {
        if (processes != null) {
            processes.revive();
        }
    }
}
