package io.dedup.internal.lease;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.internal.listener.SafeListeners;
import io.dedup.internal.run.AdmittedRun;
import io.dedup.internal.run.AdmittedRun.Guard;
import io.dedup.internal.storecall.StoreCalls;
import io.dedup.internal.thread.EngineThreads;
import io.dedup.internal.thread.RepeatedWork;
import io.dedup.policy.DedupPolicy;
import io.dedup.store.Claim;
import io.dedup.store.RenewRequest;
import io.dedup.store.WriteResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews the leases of all claims of this process when a third of their length has passed, with one batch call.
 *
 * <p>It therefore knows what this process is handling, and wakes those who wait for the end of it. Runs whose claims got no
 * answer are here for that alone: nothing is renewed for them.
 *
 * <p>Nothing may end the beats, and nothing may delay them: if they stop, every lease of the process expires under its
 * running handler, and other consumers repeat the effects. Therefore a beat catches whatever is thrown, and the store
 * renews without waiting for locked rows.
 *
 * <p>A run that is closed isn't renewed, because its completion is on its way (see {@link AdmittedRun}). A claim is
 * removed when its run is settled, or when it is {@link AdmittedRun#isOverdue overdue}: a handler may drop a message
 * without settling it. A claim that is settled before its first check costs only an
 * insertion into a set and a removal.
 */
public final class Heartbeat implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Heartbeat.class);
    private static final int LOOKS_PER_LEASE = 12;
    private static final long MIN_PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final Set<AdmittedRun> claims = ConcurrentHashMap.newKeySet();
    /** How many of them have no answer, or are about to join; so that a claim costs nothing while there are none. */
    private final AtomicInteger unguarded = new AtomicInteger();

    private final ReentrantLock joining = new ReentrantLock();
    private final WaitingCopies copies = new WaitingCopies();
    private final StoreCalls store;
    private final SafeListeners<DedupListener> notifier;
    private final RepeatedWork beats;
    private final long periodNanos;

    public Heartbeat(
            StoreCalls store, SafeListeners<DedupListener> notifier, Duration shortestLease, EngineThreads threads) {
        this.store = store;
        this.notifier = notifier;
        this.periodNanos = Math.max(MIN_PERIOD_NANOS, shortestLease.toNanos() / LOOKS_PER_LEASE);
        // If no thread can be had, the thread of the looks renews: a late renewal of others is better than none.
        this.beats = threads.every(periodNanos, () -> !isIdle(), this::safeBeat, true);
    }

    public void add(AdmittedRun execution) {
        claims.add(execution);
    }

    /**
     * Adds a run whose claim got no answer, unless another run of its message goes on in this process. The store knows nothing of
     * it, so copies can find it only here.
     *
     * @return false if there is another run: this one must not begin
     */
    public boolean addUnguarded(AdmittedRun execution) {
        boolean alone = false;
        joining.lock(); // of two copies that come at the same moment, one finds the other
        try {
            unguarded.incrementAndGet();
            claims.add(execution); // before the look: a claim that is granted from here on finds it
            alone = runsOf(keyOf(execution)).stream().allMatch(run -> run == execution || run.isOverdue());
            return alone;
        } finally {
            if (!alone) {
                remove(execution);
            }
            joining.unlock();
        }
    }

    /** Whether a run of this message goes on whose claim got no answer. */
    public boolean isRunningUnguarded(DedupKey key) {
        return unguarded.get() > 0
                && runsOf(key).stream().anyMatch(run -> run.guard() == Guard.STORE_DOWN && !run.isOverdue());
    }

    /**
     * Removes a claim. Called after the settlement, so that {@link #size} includes runs that are being settled. A
     * settled run is no longer renewed, because a renewal after its completion would look like a lost lease.
     */
    public void remove(AdmittedRun execution) {
        if (claims.remove(execution)) { // else it has no claim, or was overdue
            if (execution.guard() == Guard.STORE_DOWN) {
                unguarded.decrementAndGet();
            }
            wake(execution);
        }
    }

    /** The wake-up decides nothing, and a copy asks soon without it: a settlement must not fail because of it. */
    private void wake(AdmittedRun execution) {
        try {
            copies.ended(keyOf(execution));
        } catch (Throwable e) { // no memory
            return;
        }
    }

    /** An estimate, like that of any concurrent set: an addition and a removal beside this call may count as a removal alone. */
    public int size() {
        return claims.size();
    }

    /** Whether no run was there during the whole call. */
    public boolean isIdle() {
        return !claims.iterator().hasNext();
    }

    /**
     * A run whose handler has succeeded and whose completion has not been answered; null if there is none. Checks all
     * runs.
     */
    @Nullable
    public AdmittedRun succeeded(DedupKey key) {
        for (AdmittedRun execution : claims) {
            if (execution.isSucceeded()
                    && execution.guarded()
                    && keyOf(execution).equals(key)) {
                return execution;
            }
        }
        return null;
    }

    /**
     * Waits until no run of these messages goes on in this process: who asks for them together gains nothing by asking
     * for each when it ends.
     *
     * @param here how long to wait at most if all of them are being handled in this process, in nanoseconds
     * @param elsewhere how long to wait if others are not: their end wakes nobody
     * @return those that are still being handled here
     */
    public Set<DedupKey> awaitEnd(Set<DedupKey> keys, long here, long elsewhere) {
        try {
            copies.add(keys); // first: a run that ends from here on wakes this thread, one that has ended is not found
            Set<DedupKey> running = running(keys);
            if (running.size() < keys.size()) {
                LockSupport.parkNanos(elsewhere);
                return running(running);
            }
            long until = System.nanoTime() + here;
            long left = here;
            while (left > 0 && !running.isEmpty() && !Thread.currentThread().isInterrupted()) {
                LockSupport.parkNanos(left);
                running = running(running);
                left = until - System.nanoTime();
            }
            return running;
        } finally {
            copies.remove(keys);
        }
    }

    /** Without the runs that have lost their leases: another consumer may have handled their messages. */
    private Set<DedupKey> running(Set<DedupKey> keys) {
        Set<DedupKey> running = new HashSet<>();
        for (AdmittedRun execution : claims) {
            DedupKey key = keyOf(execution);
            if (keys.contains(key) && !execution.leaseLost()) {
                running.add(key);
            }
        }
        return running;
    }

    /** Whether a run of this message goes on in this process and has its lease. Checks all runs. */
    public boolean isHandling(DedupKey key) {
        return !running(Set.of(key)).isEmpty();
    }

    /** The runs of a message, whether or not they have succeeded. Checks all runs. */
    public List<AdmittedRun> runsOf(DedupKey key) {
        return runsOf(key::equals);
    }

    public List<AdmittedRun> runsOf(Predicate<DedupKey> which) {
        return claims.stream().filter(execution -> which.test(keyOf(execution))).toList();
    }

    /** Nothing is thrown to the thread, which may have other work. */
    private void safeBeat() {
        try {
            beat();
        } catch (Throwable e) { // no memory even for a log line
            return;
        }
    }

    private void beat() {
        try {
            List<AdmittedRun> due = due();
            if (!due.isEmpty()) {
                renew(due);
            }
        } catch (RuntimeException | Error e) {
            log.error(
                    "Renewing leases in store {} failed unexpectedly; retried, but leases may expire",
                    store.storeName(),
                    e);
        }
    }

    private List<AdmittedRun> due() {
        List<AdmittedRun> due = new ArrayList<>();
        List<AdmittedRun> over = new ArrayList<>(0);
        long now = System.nanoTime();
        for (AdmittedRun execution : claims) {
            if (execution.isClosed()) {
                continue;
            }
            DedupPolicy policy = execution.topic().policy();
            if (execution.hasTakenTooLong()) {
                // From here on the lease expires, and the handler sees it by the deadline in its context.
                if (execution.isStarted() && execution.reportOverrunOnce()) {
                    notifier.report(listener -> listener.maxProcessingTimeExceeded(keyOf(execution)));
                }
            } else if (execution.guard() != Guard.STORE_DOWN
                    && !execution.isLost()
                    && now - execution.renewalSentAt() >= policy.lease().toNanos() / 3 - periodNanos) {
                due.add(execution);
            }
            boolean overdue = execution.isOverdue();
            if (execution.leaseLost()) {
                reportLoss(execution);
            }
            if (overdue && !execution.isSucceeded()) { // a succeeded run stays: copies are recognized by it
                over.add(execution);
            }
        }
        over.forEach(this::remove); // they may never be settled; settling them later needs no heartbeat
        return due;
    }

    private void renew(List<AdmittedRun> due) {
        List<RenewRequest> requests = new ArrayList<>(due.size());
        for (AdmittedRun execution : due) {
            requests.add(new RenewRequest(
                    claimOf(execution), execution.topic().policy().lease()));
        }
        long sentAt = System.nanoTime();
        List<WriteResult> answers = store.renew(requests);
        for (int i = 0; i < answers.size(); i++) {
            AdmittedRun execution = due.get(i);
            WriteResult answer = answers.get(i);
            if (answer.isApplied()) {
                execution.renewed(sentAt);
            } else if (answer instanceof WriteResult.LeaseLost
                    && !execution.isClosed()) { // else it was completed meanwhile, and nothing is lost
                execution.markLost();
                reportLoss(execution);
            } // a renewal without an answer is due again at the next beat
        }
    }

    private void reportLoss(AdmittedRun execution) {
        if (execution.guarded() && execution.reportLossOnce()) {
            notifier.report(listener -> listener.leaseLost(keyOf(execution)));
        }
    }

    private static Claim claimOf(AdmittedRun execution) {
        return Objects.requireNonNull(execution.claim(), "only claims have a heartbeat");
    }

    private static DedupKey keyOf(AdmittedRun execution) {
        return claimOf(execution).key();
    }

    @Override
    public void close() {
        beats.cancel();
        beats.interrupt();
    }
}
