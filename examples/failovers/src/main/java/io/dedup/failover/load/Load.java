package io.dedup.failover.load;

import io.dedup.failover.plan.RunningScenario;
import io.dedup.failover.plan.Size;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * A steady load: new messages at a constant rate, and copies of a third of them some time later. Unconfirmed messages
 * are sent again with their IDs. Thread-safe.
 */
public final class Load implements AutoCloseable {
    private static final int EVERY = 3;
    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long SOON_MILLIS = 300;
    private static final long LATE_MILLIS = 12_000;
    private static final int MOST_UNCONFIRMED = 2_000;

    private final RunningScenario scenario;
    private final Size size;
    private final Random random;
    private final PriorityQueue<Copy> copies = new PriorityQueue<>();
    private final Set<String> confirmed = new HashSet<>();
    private final AtomicBoolean stopping = new AtomicBoolean();
    private final Thread thread = new Thread(this::run, "load");
    private long unconfirmed;
    private long sentCopies;

    private record Copy(long dueNanos, String id) implements Comparable<Copy> {
        @Override
        public int compareTo(Copy other) {
            return Long.signum(dueNanos - other.dueNanos);
        }
    }

    public Load(RunningScenario scenario, Size size) {
        this.scenario = scenario;
        this.size = size;
        this.random = new Random(size.seed());
    }

    public void start() {
        thread.start();
    }

    /**
     * Stops sending new messages, sends the remaining copies at once, and waits until everything is confirmed.
     *
     * @return whether that happened within the bound
     */
    public boolean finish(Duration bound) throws InterruptedException {
        stopping.set(true);
        long until = System.nanoTime() + bound.toNanos();
        thread.join(bound.toMillis());
        while (unconfirmed() > 0) {
            if (System.nanoTime() - until > 0) {
                return false;
            }
            TimeUnit.NANOSECONDS.sleep(TICK_NANOS);
        }
        return !thread.isAlive();
    }

    /** IDs that the broker has. */
    public synchronized List<String> confirmed() {
        return new ArrayList<>(confirmed);
    }

    /** How many messages were sent again, or once more because the broker didn't confirm them. */
    public synchronized long copies() {
        return sentCopies;
    }

    private synchronized long unconfirmed() {
        return unconfirmed;
    }

    private void run() {
        long begin = System.nanoTime();
        long number = 0;
        while (!stopping.get()) {
            long due = (System.nanoTime() - begin) * size.rate() / TimeUnit.SECONDS.toNanos(1);
            while (number < due && unconfirmed() < MOST_UNCONFIRMED) {
                sendNew("m" + size.seed() + "-" + number++);
            }
            // Messages that couldn't be sent in time are skipped.
            begin += Math.max(0, due - number) * TimeUnit.SECONDS.toNanos(1) / size.rate();
            sendCopies(System.nanoTime());
            LockSupport.parkNanos(TICK_NANOS);
        }
        while (hasCopies() && !Thread.currentThread().isInterrupted()) {
            sendCopies(Long.MAX_VALUE); // the rest at once
            LockSupport.parkNanos(TICK_NANOS);
        }
    }

    private void sendNew(String id) {
        send(id);
        if (random.nextInt(EVERY) == 0) {
            long delay = random.nextBoolean() ? random.nextLong(SOON_MILLIS) : random.nextLong(LATE_MILLIS);
            synchronized (this) {
                copies.add(new Copy(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(delay), id));
            }
        }
    }

    private synchronized boolean hasCopies() {
        return !copies.isEmpty();
    }

    private void sendCopies(long dueUntil) {
        while (true) {
            String id;
            synchronized (this) {
                Copy next = copies.peek();
                if (next == null
                        || (dueUntil != Long.MAX_VALUE && next.dueNanos - dueUntil > 0)
                        || unconfirmed >= MOST_UNCONFIRMED) {
                    return;
                }
                copies.poll();
                id = next.id;
                sentCopies++;
            }
            send(id);
        }
    }

    private void send(String id) {
        synchronized (this) {
            unconfirmed++;
        }
        CompletableFuture<?> unused = scenario.send(id).whenComplete((any, failure) -> ended(id, failure == null));
    }

    private synchronized void ended(String id, boolean success) {
        unconfirmed--;
        if (success) {
            confirmed.add(id);
        } else if (!confirmed.contains(id)) {
            // The broker may have it nevertheless.
            copies.add(new Copy(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(SOON_MILLIS), id));
        }
    }

    @Override
    public void close() throws InterruptedException {
        stopping.set(true);
        thread.interrupt();
        thread.join();
    }
}
