package io.dedup.simulation.kafka;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/**
 * The consumers of one process, each with its thread. One of them runs at a time, from its poll to its next one, and who is next is
 * drawn: so the order of threads is a draw like others, and what they share needs no locks. While one runs, all others are in their
 * polls, where members of a group meet. Thread-safe.
 */
final class Turns {
    /** While partitions are paused, the run waits for real timers: so many polls count before, and one in so many meanwhile. */
    private static final int TICKS_WHILE_PAUSED = 3;

    private static final int WAITING_POLLS = 60;

    private final Trouble trouble;
    private final SimulatedBroker broker;
    private final boolean alone;
    private final List<SimulatedConsumer> members = new ArrayList<>();
    private final List<SimulatedConsumer> waiting = new ArrayList<>();
    private boolean begun;
    private @Nullable SimulatedConsumer next;
    private int tick;
    private int sinceThatTick;
    private int sinceStep;
    private int sinceTick;
    private int made;
    private boolean restartAsked;
    private boolean dead;

    /** @param alone whether there is never more than one consumer: it needs nobody's leave */
    Turns(SimulatedBroker broker, Trouble trouble, boolean alone) {
        this.broker = broker;
        this.trouble = trouble;
        this.alone = alone;
    }

    /** Returns the consumer's number. */
    synchronized int add(SimulatedConsumer member) {
        members.add(member);
        return made++;
    }

    /** All consumers have been made: the first of them may run once each is in its first poll. */
    synchronized void begin() {
        begun = true;
        handOver();
    }

    /** Returns when it is this consumer's turn. */
    synchronized void await(SimulatedConsumer member) {
        if (alone || dead) {
            return;
        }
        waiting.add(member);
        handOver();
        try {
            while (next != member && !dead) {
                wait();
            }
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        }
        next = null;
        waiting.remove(member);
    }

    /** The process has died: nothing that its consumers do matters any more, and nobody waits for them. */
    synchronized void die() {
        dead = true;
        notifyAll();
    }

    /** A consumer is closed: it polls no more. */
    synchronized void leave(SimulatedConsumer member) {
        members.remove(member);
        handOver();
    }

    private void handOver() {
        if (!begun || next != null || waiting.isEmpty() || waiting.size() < members.size()) {
            return;
        }
        if (tick != broker.ticks()) {
            tick = broker.ticks();
            sinceThatTick = 0;
        }
        // How many polls only wait is a matter of real time: it doesn't decide who is next after the last other one.
        int drawn = trouble.below(waiting.size(), "who is next after poll " + tick);
        waiting.sort(Comparator.comparingInt(SimulatedConsumer::number));
        next = waiting.get((drawn + sinceThatTick++) % waiting.size());
        notifyAll();
    }

    /**
     * Real time decides how many polls only wait for a pause to end: draws don't depend on their number.
     *
     * @param simulated whether a pause ends after some polls
     */
    synchronized boolean ticks(boolean simulated) {
        sinceTick++;
        if (simulated
                || members.stream().noneMatch(SimulatedConsumer::isWaitingForRealTime)
                || sinceStep++ < TICKS_WHILE_PAUSED
                || sinceTick > WAITING_POLLS) {
            sinceTick = 0;
            return true;
        }
        return false;
    }

    /** Something has happened. */
    synchronized void step() {
        sinceStep = 0;
    }

    /** Whether the process's container may be stopped now: once. */
    synchronized boolean mayRestart() {
        boolean may = !restartAsked;
        restartAsked = true;
        return may;
    }

    synchronized boolean areWoken() {
        return members.stream().allMatch(SimulatedConsumer::isWoken);
    }

    /** Whether all have read what they can. */
    synchronized boolean isIdle() {
        return members.stream().allMatch(SimulatedConsumer::isIdle);
    }
}
