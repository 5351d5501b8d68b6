package io.dedup.internal.background;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.internal.listener.SafeListeners;
import io.dedup.internal.run.AdmittedRun;
import io.dedup.internal.storecall.StoreCalls;
import io.dedup.internal.storecall.StoreGates;
import io.dedup.store.CompleteRequest;
import io.dedup.store.ReleaseRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Goes on telling the store what it couldn't be told in time, until it answers; on a thread of its own. Probes the store while a
 * gate is closed.
 */
public final class BackgroundWrites implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(BackgroundWrites.class);
    private static final long CLOSE_MILLIS = 5_000;
    private static final long FIRST_BACK_OFF_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long MAX_BACK_OFF_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** While messages run unguarded for want of an answer. */
    private static final long MAX_BACK_OFF_OF_PROBES_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final StoreCalls store;
    private final StoreGates gates;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final PendingCompletions completions;
    private final PendingReleases releases;
    private final Thread thread;
    private boolean closing;

    /** @param gates are opened by what this hears from the store */
    public BackgroundWrites(
            StoreCalls store, SafeListeners<DedupListener> notifier, StoreGates gates, UnrecordedSuccesses successes) {
        this.store = store;
        this.gates = gates;
        this.completions = new PendingCompletions(store, notifier, successes, lock);
        this.releases = new PendingReleases(store, lock);
        this.thread = new Thread(this::run, "dedup-background-" + store.storeName());
        thread.setDaemon(true);
        thread.start();
        gates.onClosed(this::wake);
    }

    /** Records a success later. Where the run's claim got no answer, the claim is made again first. */
    public void complete(CompleteRequest request, AdmittedRun execution) {
        complete(request, null, execution);
    }

    /** The same for a store in front of a record, whose window has begun. */
    public void complete(CompleteRequest request, @Nullable RemainingWindow rest, AdmittedRun execution) {
        complete(PendingCompletion.of(execution, request, rest));
    }

    public void complete(PendingCompletion completion) {
        completions.add(completion);
        wake();
    }

    /** An operator wants the message to run again: its success isn't recorded any more. */
    public void forget(DedupKey key) {
        completions.forget(key);
    }

    /** Gives a claim up by its owner, whether or not it was ever made. */
    public void release(ReleaseRequest request, Duration lease) {
        releases.add(request, lease);
        wake();
    }

    public int pendingCompletions() {
        return completions.size();
    }

    public int pendingWrites() {
        return completions.size() + releases.size();
    }

    private void run() {
        long backOff = FIRST_BACK_OFF_NANOS;
        try {
            while (awaitWork()) {
                if (safePass()) {
                    backOff = FIRST_BACK_OFF_NANOS;
                } else {
                    pause(backOff);
                    long longest = gates.anyClosed() ? MAX_BACK_OFF_OF_PROBES_NANOS : MAX_BACK_OFF_NANOS;
                    backOff = Math.min(longest, backOff * 2);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A thread that ended here would take every later completion of this process with it. */
    private boolean safePass() {
        try {
            return pass();
        } catch (Throwable e) { // there isn't even memory for a line in the log
            return false;
        }
    }

    /** Whether the store answered anything; else going on at once would be of no use. */
    private boolean pass() {
        try {
            boolean released = releases.tell();
            boolean answered = completions.tell() || released;
            if (gates.wantProbe() && (answered || store.ping())) {
                gates.probeAnswered();
            }
            return answered;
        } catch (RuntimeException | Error e) {
            log.error("Background writes to store {} failed and go on", store.storeName(), e);
            return false;
        }
    }

    /** False when closing and nothing is left. */
    private boolean awaitWork() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (completions.size() == 0 && releases.size() == 0) {
                if (closing) {
                    return false;
                }
                if (gates.anyClosed()) {
                    return true;
                }
                changed.await();
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void pause(long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            // Signals of new work don't end the pause: the store has just failed, and new work would fail as well.
            boolean closingBefore = closing;
            long until = System.nanoTime() + (closing ? Math.min(nanos, FIRST_BACK_OFF_NANOS) : nanos);
            long left = until - System.nanoTime();
            while (left > 0) {
                long unused = changed.awaitNanos(left);
                left = closing && !closingBefore ? 0 : until - System.nanoTime();
            }
        } finally {
            lock.unlock();
        }
    }

    private void wake() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** From now on it ends when nothing is left; see {@link #close(long)}. */
    public void beginToClose() {
        lock.lock();
        try {
            closing = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Goes on for at most {@value #CLOSE_MILLIS} ms; then drops the completions that are left, and says so. */
    @Override
    public void close() {
        beginToClose();
        close(System.nanoTime());
    }

    /** @param begun when the time began that it may go on for, by {@link System#nanoTime()} */
    public void close(long begun) {
        boolean interrupted = Thread.interrupted();
        try {
            long left = CLOSE_MILLIS - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
            thread.join(Math.max(1, left)); // 0 would wait for ever
        } catch (InterruptedException e) {
            interrupted = true;
        }
        thread.interrupt();
        List<PendingCompletion> dropped =
                completions.close().stream().filter(PendingCompletion::isOwn).toList();
        if (!dropped.isEmpty()) {
            log.warn(
                    "Closing while {} handled messages could not be recorded as done in store {}: when they are"
                            + " delivered again, they run again",
                    dropped.size(),
                    store.storeName());
            dropped.forEach(completions::drop);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
