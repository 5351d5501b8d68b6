package io.dedup.simulation.threads;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A real thread, which carries simulated ones, one after the other. */
final class Carrier extends Thread {
    private static final ConcurrentLinkedDeque<Carrier> IDLE = new ConcurrentLinkedDeque<>();

    /** A carrier outlives the run that has made it: whoever ends that run's threads must not meet it. */
    private static final ThreadGroup CARRIERS = new ThreadGroup(root(), "carriers");

    private volatile Schedule.@Nullable Turns carried;

    private Carrier() {
        super(CARRIERS, "simulated");
        setDaemon(true);
    }

    private static ThreadGroup root() {
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        while (group.getParent() != null) {
            group = group.getParent();
        }
        return group;
    }

    /** Gives the simulated thread a real one; it runs when it is its turn. */
    static void carry(Schedule.Turns thread) {
        Carrier carrier = IDLE.pollFirst();
        boolean fresh = carrier == null;
        Carrier it = fresh ? new Carrier() : requireNonNull(carrier);
        thread.carriedBy(it);
        it.carried = thread;
        if (fresh) {
            it.start();
        } else {
            LockSupport.unpark(it);
        }
    }

    /** The simulated thread that calls. */
    static Schedule.Turns current() {
        if (Thread.currentThread() instanceof Carrier carrier) {
            return requireNonNull(carrier.carried);
        }
        throw new IllegalStateException("not a simulated thread: " + Thread.currentThread());
    }

    Schedule.@Nullable Turns carried() {
        return carried;
    }

    @Override
    public void run() {
        while (true) {
            Schedule.Turns mine = carried;
            if (mine == null) {
                LockSupport.park(this);
                continue;
            }
            try {
                mine.run();
            } catch (RuntimeException | Error e) { // nobody waits for it
                Throwable unused = e;
            } finally {
                boolean unused = interrupted();
                carried = null;
                IDLE.addFirst(this);
            }
        }
    }
}
