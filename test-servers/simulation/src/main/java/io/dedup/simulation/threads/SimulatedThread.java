package io.dedup.simulation.threads;

import org.jspecify.annotations.Nullable;

/** What {@code new Thread} makes in a simulated run. It is never started as a real thread: a carrier runs it when it is its turn. */
@SuppressWarnings("UnsynchronizedOverridesSynchronized") // one thread runs at a time
public class SimulatedThread extends Thread {
    private final Runnable work;
    private Schedule.@Nullable Turns turns;
    private boolean started;
    private boolean ended;

    public SimulatedThread(Runnable work, String name) {
        super(work, name);
        this.work = work;
    }

    @Override
    public void start() {
        started = true;
        Schedule.current().start(getName(), () -> {
            turns = Carrier.current();
            try {
                work.run();
            } finally {
                ended = true;
            }
        });
    }

    @Override
    public void interrupt() {
        if (turns != null && !ended) {
            turns.interrupt();
        }
    }

    @Override
    public boolean isInterrupted() {
        return turns != null && turns.isInterrupted();
    }

    /** Whether it has ended, or was never started. */
    boolean isDone() {
        return ended || !started;
    }
}
