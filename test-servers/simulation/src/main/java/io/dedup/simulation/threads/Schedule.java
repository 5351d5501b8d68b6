package io.dedup.simulation.threads;

import static java.util.Objects.requireNonNull;

import io.dedup.simulation.draw.Draws;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The threads and the clock of one run. One thread runs at a time. It hands over where it waits, and in some runs also where it
 * takes a lock or passes work to another thread; who is next is drawn. The clock moves when all threads wait, to the first moment
 * at which one of them stops waiting. So a run takes the same course each time, and no time is spent waiting.
 */
public final class Schedule {
    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");
    private static final long FIRST_NANO = Duration.ofDays(1).toNanos();

    private final Draws draws;
    private final int handOverOneIn;
    private final List<Turns> threads = new ArrayList<>();
    private final CountDownLatch ended = new CountDownLatch(1);
    private long now = FIRST_NANO;
    private long choices;
    private @Nullable SimulatedTimers delays;
    private @Nullable Throwable failure;
    private volatile boolean over;

    private Schedule(Draws draws) {
        this.draws = draws;
        this.handOverOneIn = draws.pick(new Integer[] {0, 0, 0, 40, 12, 4}, "how often threads take turns");
    }

    /** Runs this and all threads that it starts, and returns when it has ended; those that are left are abandoned. */
    public static void run(Draws draws, Runnable main) throws InterruptedException {
        Schedule schedule = new Schedule(draws);
        Turns first = new Turns(schedule, "main", () -> {
            try {
                main.run();
            } catch (RuntimeException | Error e) {
                schedule.failure = e;
            }
        });
        schedule.threads.add(first);
        Carrier.carry(first);
        first.resume();
        try {
            schedule.ended.await();
        } catch (
                InterruptedException
                        e) { // whoever has waited long enough leaves no threads behind that wait for their turns
            schedule.over = true;
            List.copyOf(schedule.threads).forEach(Turns::resume);
            throw e;
        }
        if (schedule.failure != null) {
            throw new IllegalStateException("the run failed", schedule.failure);
        }
    }

    /** The schedule of the thread that calls. */
    public static Schedule current() {
        return Carrier.current().schedule();
    }

    /** Whether a simulated thread calls. */
    public static boolean isHere() {
        return Thread.currentThread() instanceof Carrier;
    }

    public long nanoTime() {
        return now;
    }

    public Instant instant() {
        return BEGIN.plusNanos(now - FIRST_NANO);
    }

    /** Lets time pass, for the calling thread. */
    public void sleep(Duration time) {
        await(() -> false, now + time.toNanos(), false);
    }

    /**
     * Waits for a condition, which others check as well: it must change nothing.
     *
     * @param until at most until then
     * @param interruptible whether an interrupt ends the wait
     */
    public void await(BooleanSupplier condition, long until, boolean interruptible) {
        Turns me = Carrier.current();
        me.waitFor(condition, until, interruptible);
        handOver(me);
    }

    /** Waits at most so long, and returns whether the condition is true. */
    public boolean await(BooleanSupplier condition, Duration atMost) {
        await(condition, now + atMost.toNanos(), false);
        return condition.getAsBoolean();
    }

    /** Another thread may run now. */
    public void mayHandOver() {
        if (handOverOneIn > 0 && !over && draws.below(handOverOneIn, "hand over " + ++choices) == 0) {
            await(() -> true, Long.MAX_VALUE, false);
        }
    }

    void start(String name, Runnable work) {
        Turns thread = new Turns(this, name, work);
        thread.waitFor(() -> true, Long.MAX_VALUE, false);
        threads.add(thread);
        Carrier.carry(thread);
        mayHandOver();
    }

    /** The executor of what happens later beside all threads, such as an answer of a broker. */
    public Executor after(Duration delay) {
        if (delays == null) {
            delays = new SimulatedTimers(2, work -> new SimulatedThread(work, "delayed"));
        }
        SimulatedTimers all = delays;
        return task -> {
            var unused = all.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
        };
    }

    boolean isOver() {
        return over;
    }

    private void handOver(Turns me) {
        if (over) {
            me.abandon();
        }
        Turns next = next();
        if (next != me) {
            next.resume();
            me.pause();
            if (over) {
                me.abandon();
            }
        }
        me.throwIfForEver();
    }

    /** The thread has ended: another one runs, or the run is over if this was its first one. */
    void ended(Turns me) {
        if (over) {
            return;
        }
        if (me == threads.get(0)) {
            over = true;
            List<Turns> left = List.copyOf(threads.subList(1, threads.size()));
            ended.countDown();
            left.forEach(Turns::resume);
            return;
        }
        threads.remove(me);
        next().resume();
    }

    private Turns next() {
        List<Turns> ready = ready();
        while (ready.isEmpty()) {
            long first = threads.stream().mapToLong(Turns::until).min().orElse(Long.MAX_VALUE);
            if (first == Long.MAX_VALUE) {
                Turns main = threads.get(0);
                main.waitsForEver();
                return main;
            }
            now = Math.max(now, first);
            ready = ready();
        }
        return ready.size() == 1 ? ready.get(0) : ready.get(draws.below(ready.size(), "thread " + ++choices));
    }

    private List<Turns> ready() {
        List<Turns> ready = new ArrayList<>(2);
        for (Turns each : threads) {
            if (each.isReady(now)) {
                ready.add(each);
            }
        }
        return ready;
    }

    /** One thread's turns. */
    static final class Turns {
        private final Schedule schedule;
        private final String name;
        private final Runnable work;
        private @Nullable Carrier carrier;
        private BooleanSupplier condition = () -> true;
        private long until = Long.MAX_VALUE;
        private boolean interruptible;
        private boolean waitsForEver;
        private boolean permit;
        private int abandoned;
        private volatile boolean mine;
        private volatile boolean interrupted;

        Turns(Schedule schedule, String name, Runnable work) {
            this.schedule = schedule;
            this.name = name;
            this.work = work;
        }

        Schedule schedule() {
            return schedule;
        }

        String name() {
            return name;
        }

        void carriedBy(Carrier it) {
            carrier = it;
        }

        void run() {
            pause();
            if (!schedule.over) {
                try {
                    work.run();
                } catch (Abandoned e) {
                    return;
                } finally {
                    schedule.ended(this);
                }
            }
        }

        private void waitFor(BooleanSupplier what, long atMostUntil, boolean untilInterrupted) {
            condition = what;
            until = atMostUntil;
            interruptible = untilInterrupted;
        }

        private boolean isReady(long now) {
            return until <= now || (interruptible && isInterrupted()) || condition.getAsBoolean();
        }

        private long until() {
            return until;
        }

        private void waitsForEver() {
            waitsForEver = true;
        }

        boolean isInterrupted() {
            return interrupted || requireNonNull(carrier).isInterrupted();
        }

        void interrupt() {
            requireNonNull(carrier).interrupt();
        }

        boolean hasPermit() {
            return permit;
        }

        void permit(boolean has) {
            permit = has;
        }

        void resume() {
            mine = true;
            java.util.concurrent.locks.LockSupport.unpark(carrier);
        }

        /** Until it is this thread's turn. */
        private void pause() {
            while (!mine) {
                java.util.concurrent.locks.LockSupport.park(this);
                if (Thread.interrupted()) { // else it would not park again
                    interrupted = true;
                }
            }
            mine = false;
            if (interrupted) {
                interrupted = false;
                Thread.currentThread().interrupt();
            }
        }

        private void throwIfForEver() {
            if (waitsForEver) {
                waitsForEver = false;
                throw new IllegalStateException("all threads wait for ever");
            }
        }

        /** The run is over: this thread ends. One that doesn't let itself be ended is left where it is. */
        private void abandon() {
            if (++abandoned > 50) {
                while (true) {
                    java.util.concurrent.locks.LockSupport.park(this);
                    boolean unused = Thread.interrupted();
                }
            }
            throw new Abandoned();
        }
    }

    /** Ends a thread whose run is over. */
    static final class Abandoned extends Error {
        private static final long serialVersionUID = 1;

        Abandoned() {
            super("the run is over", null, false, false);
        }
    }
}
