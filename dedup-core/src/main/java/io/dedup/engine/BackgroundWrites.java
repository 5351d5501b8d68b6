package io.dedup.engine;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.internal.SafeListeners;
import io.dedup.store.Claim;
import io.dedup.store.CompleteRequest;
import io.dedup.store.DedupStore;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.WriteResult;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Goes on telling the store what it couldn't be told in time, until it answers.
 *
 * <p>Bounded: beyond {@value #CAPACITY} waiting completions the new ones are dropped, and told to the listeners.
 */
final class BackgroundWrites implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(BackgroundWrites.class);
    private static final int CAPACITY = 100_000;
    private static final int BATCH = 500;
    private static final long CLOSE_MILLIS = 5_000;
    private static final long FIRST_BACK_OFF_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long MAX_BACK_OFF_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** A success to record; {@code unclaimed} when the run had no certain claim, so that DONE may have to be forced. */
    private record Completion(CompleteRequest request, boolean unclaimed) {}

    /** A claim to give up; pointless once its lease is over. */
    private record Release(ReleaseRequest request, long pointlessAt) {}

    private final DedupStore store;
    private final SafeListeners<DedupListener> notifier;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    /** One for each key, the newest: an older attempt's completion would be refused anyhow. */
    private final Map<DedupKey, Completion> completions = new LinkedHashMap<>();

    private final Map<Claim, Release> releases = new LinkedHashMap<>();
    private final Thread thread;
    private boolean closing;

    BackgroundWrites(DedupStore store, SafeListeners<DedupListener> notifier) {
        this.store = store;
        this.notifier = notifier;
        this.thread = new Thread(this::run, "dedup-background-" + store.name());
        thread.setDaemon(true);
        thread.start();
    }

    void complete(CompleteRequest request, boolean unclaimed) {
        boolean taken;
        lock.lock();
        try {
            taken = !closing && completions.size() < CAPACITY;
            if (taken) {
                completions.put(request.claim().key(), new Completion(request, unclaimed));
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
        DedupKey key = request.claim().key();
        notifier.tell(listener -> {
            if (taken) {
                listener.completionPending(key);
            } else {
                listener.completionDropped(key);
            }
        });
    }

    /** Gives a claim up by its owner, whether or not it was ever made. */
    void release(ReleaseRequest request, Duration lease) {
        lock.lock();
        try {
            if (!closing && releases.size() < CAPACITY) {
                releases.put(request.claim(), new Release(request, System.nanoTime() + lease.toNanos()));
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    int pendingCompletions() {
        lock.lock();
        try {
            return completions.size();
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        long backOff = FIRST_BACK_OFF_NANOS;
        try {
            while (awaitWork()) {
                boolean released = releaseSome();
                boolean allTold = completeSome() && released;
                backOff = allTold ? FIRST_BACK_OFF_NANOS : Math.min(MAX_BACK_OFF_NANOS, backOff * 2);
                if (!allTold) {
                    pause(backOff);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            log.error("Background writes to store {} ended; unfinished ones are lost", store.name(), e);
        }
    }

    /** False when closing and nothing is left. */
    private boolean awaitWork() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (completions.isEmpty() && releases.isEmpty()) {
                if (closing) {
                    return false;
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

    private boolean completeSome() {
        List<Completion> batch = first(completions.values());
        if (batch.isEmpty()) {
            return true;
        }
        try {
            List<WriteResult> answers =
                    store.completeAll(batch.stream().map(Completion::request).toList());
            boolean allTold = true;
            for (int i = 0; i < batch.size(); i++) {
                allTold &= settle(batch.get(i), answers.get(i));
            }
            return allTold;
        } catch (RuntimeException e) {
            notifier.tell(listener -> listener.storeError("complete", Claimer.wrap(store, e)));
            return false;
        }
    }

    private boolean settle(Completion completion, WriteResult answer) {
        DedupKey key = completion.request().claim().key();
        if (answer instanceof WriteResult.StoreError error) {
            notifier.tell(listener -> listener.storeError("complete", error.cause()));
            return false;
        }
        if (!answer.isApplied() && completion.unclaimed()) {
            // A live lease means that somebody runs the message under guard now: theirs is the record that counts.
            store.forceDone(key, completion.request().window(), false);
        } else if (!answer.isApplied()) {
            notifier.tell(listener -> listener.completionDropped(key));
        }
        lock.lock();
        try {
            completions.remove(key, completion);
        } finally {
            lock.unlock();
        }
        return true;
    }

    private boolean releaseSome() {
        Map<DedupKey, Release> batch = new LinkedHashMap<>(); // each key once
        long now = System.nanoTime();
        lock.lock();
        try {
            releases.values().removeIf(release -> now - release.pointlessAt() > 0);
            for (Release release : releases.values()) {
                if (batch.size() < BATCH) {
                    batch.putIfAbsent(release.request().claim().key(), release);
                }
            }
        } finally {
            lock.unlock();
        }
        if (batch.isEmpty()) {
            return true;
        }
        List<ReleaseRequest> requests =
                batch.values().stream().map(Release::request).toList();
        try {
            List<WriteResult> answers = store.releaseAll(requests);
            boolean allTold = true;
            lock.lock();
            try {
                for (int i = 0; i < requests.size(); i++) {
                    if (answers.get(i) instanceof WriteResult.StoreError) {
                        allTold = false;
                    } else {
                        releases.remove(requests.get(i).claim());
                    }
                }
            } finally {
                lock.unlock();
            }
            return allTold;
        } catch (RuntimeException e) {
            notifier.tell(listener -> listener.storeError("release", Claimer.wrap(store, e)));
            return false;
        }
    }

    private <T> List<T> first(Collection<T> waiting) {
        lock.lock();
        try {
            return waiting.stream().limit(BATCH).toList();
        } finally {
            lock.unlock();
        }
    }

    /** Tries once more, for as long as the store's own time-outs let it; then drops what is left and says so. */
    @Override
    public void close() {
        lock.lock();
        try {
            closing = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        boolean interrupted = Thread.interrupted();
        try {
            thread.join(CLOSE_MILLIS);
        } catch (InterruptedException e) {
            interrupted = true;
        }
        thread.interrupt();
        List<Completion> left = first(completions.values());
        if (!left.isEmpty()) {
            log.warn(
                    "Closing while {} handled messages could not be recorded as done in store {}: when they are"
                            + " delivered again, they run again",
                    pendingCompletions(),
                    store.name());
            left.forEach(each -> notifier.tell(listener ->
                    listener.completionDropped(each.request().claim().key())));
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
