package io.dedup.internal.background;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupStoreException;
import io.dedup.internal.listener.SafeListeners;
import io.dedup.internal.run.AdmittedRun;
import io.dedup.internal.run.RemainingWindow;
import io.dedup.internal.storecall.StoreCalls;
import io.dedup.internal.storecall.StoreGates;
import io.dedup.internal.thread.EngineThreads;
import io.dedup.internal.thread.RepeatedWork;
import io.dedup.policy.DedupPolicy;
import io.dedup.store.ClaimRequest;
import io.dedup.store.CompleteRequest;
import io.dedup.store.ReleaseRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Retries writes that the store did not answer in time, until it answers, on another thread. Also probes the store
 * while a gate is closed.
 */
public final class BackgroundWrites implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(BackgroundWrites.class);
    private static final long CLOSE_MILLIS = 5_000;
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1); // matters if no thread could be had
    private static final long FIRST_BACK_OFF_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long MAX_BACK_OFF_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** The maximum delay between probes while messages run unguarded because the store does not answer. */
    private static final long MAX_BACK_OFF_OF_PROBES_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final StoreCalls store;
    private final StoreGates gates;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final PendingCompletions completions;
    private final PendingReleases releases;
    private final RepeatedWork work;
    private boolean closing;

    /** @param gates opened when the store answers here */
    public BackgroundWrites(
            StoreCalls store,
            SafeListeners<DedupListener> notifier,
            StoreGates gates,
            UnrecordedSuccesses successes,
            EngineThreads threads) {
        this.store = store;
        this.gates = gates;
        this.releases = new PendingReleases(store, lock);
        this.completions = new PendingCompletions(store, notifier, successes, releases, lock);
        this.work = threads.every(LOOK_NANOS, this::hasWork, this::run, false);
        gates.onClosed(this::wake);
    }

    /** Records a success later. If the run's claim got no answer, it is claimed again first. */
    public void complete(CompleteRequest request, AdmittedRun execution) {
        complete(request, null, execution);
    }

    /**
     * Like {@link #complete(CompleteRequest, AdmittedRun)}, for a front store; the window of the database record has
     * already begun.
     */
    public void complete(CompleteRequest request, @Nullable RemainingWindow rest, AdmittedRun execution) {
        complete(PendingCompletion.of(execution, request, rest));
    }

    public void complete(PendingCompletion completion) {
        completions.add(completion);
        wake();
    }

    /**
     * An operator forgets messages in the store. Until this work has ended, nothing of them is recorded by a claim that is made
     * meanwhile: the operator wouldn't find it.
     */
    public <R> R forgetting(Predicate<DedupKey> which, Supplier<R> work) {
        completions.beginForgetting(which);
        try {
            return work.get();
        } finally {
            completions.endForgetting(which);
        }
    }

    /** Drops the pending successes of messages, because an operator wants them to be forgotten. */
    public void forget(Predicate<DedupKey> which) {
        completions.forget(which);
    }

    /** Releases a claim by its owner, whether or not it was ever made. */
    public void release(ReleaseRequest request, Duration lease) {
        releases.add(request, lease);
        wake();
    }

    /** Releases the claim of a message by its owner, whether or not it was ever made. */
    public void release(ReleaseRequest request, DedupPolicy policy) {
        releases.add(request, policy);
        wake();
    }

    /**
     * Sends the pending releases of messages that are about to be claimed, if their next claims would otherwise count deaths.
     *
     * @return why the store has not answered, by message; such a message must not be claimed
     */
    public Map<DedupKey, DedupStoreException> releaseBeforeClaims(List<ClaimRequest> claims) {
        return releases.sendBeforeClaims(claims);
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
            while (hasWork()) {
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

    /** If this ended, completions would wait for the next look. */
    private boolean safePass() {
        try {
            return pass();
        } catch (Throwable e) { // no memory even for a log line
            return false;
        }
    }

    /** Whether the store answered anything; if not, continuing at once would be useless. */
    private boolean pass() {
        try {
            boolean released = releases.send();
            boolean answered = completions.send() || released;
            if (gates.wantProbe() && (answered || store.ping())) {
                gates.probeAnswered();
            }
            return answered;
        } catch (RuntimeException | Error e) {
            log.error("Background writes to store {} failed unexpectedly; they are retried", store.storeName(), e);
            return false;
        }
    }

    /** A closed gate is work as well, until this is closing: the store is probed. */
    private boolean hasWork() {
        lock.lock();
        try {
            return pendingWrites() > 0 || (!closing && gates.anyClosed());
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
        work.startNow();
    }

    /** Shortens the pauses, and probes no longer; see {@link #close(long)}. */
    public void beginToClose() {
        lock.lock();
        try {
            closing = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        if (hasWork()) {
            work.startNow();
        }
    }

    /** Continues for at most {@value #CLOSE_MILLIS} ms; then drops the remaining completions and logs them. */
    @Override
    public void close() {
        beginToClose();
        close(System.nanoTime());
    }

    /**
     * Closes within {@value #CLOSE_MILLIS} ms of a start time.
     *
     * @param begun that start time, by {@link System#nanoTime()}
     */
    public void close(long begun) {
        boolean interrupted = Thread.interrupted();
        try {
            work.awaitEnd(TimeUnit.MILLISECONDS.toNanos(CLOSE_MILLIS) - (System.nanoTime() - begun));
        } catch (InterruptedException e) {
            interrupted = true;
        }
        work.cancel();
        work.interrupt();
        List<PendingCompletion> dropped =
                completions.close().stream().filter(PendingCompletion::isOwn).toList();
        if (!dropped.isEmpty()) {
            log.warn(
                    "Closed before {} handled messages could be recorded as DONE in store {}: if redelivered, they are"
                            + " handled again",
                    dropped.size(),
                    store.storeName());
            dropped.forEach(completions::drop);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
