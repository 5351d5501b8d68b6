package io.dedup.internal.background;

import io.dedup.internal.storecall.StoreCalls;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.WriteResult;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** Releases that the store has not answered, until their leases end. Thread-safe. */
final class PendingReleases {
    private static final int CAPACITY = 100_000;

    private final StoreCalls store;
    private final ReentrantLock lock;
    private final WriteQueue<PendingRelease> waiting = new WriteQueue<>(PendingRelease::claim);

    PendingReleases(StoreCalls store, ReentrantLock lock) {
        this.store = store;
        this.lock = lock;
    }

    public void add(ReleaseRequest request, Duration lease) {
        lock.lock();
        try {
            if (waiting.size() < CAPACITY) {
                waiting.add(new PendingRelease(request, System.nanoTime() + lease.toNanos()));
            }
        } finally {
            lock.unlock();
        }
    }

    /** Sends some releases to the store, and returns whether it answered any. */
    public boolean send() {
        List<PendingRelease> batch = next();
        List<WriteResult> answers =
                store.release(batch.stream().map(PendingRelease::request).toList());
        boolean anyAnswer = false;
        lock.lock();
        try {
            for (int i = 0; i < batch.size(); i++) {
                if (answers.get(i) instanceof WriteResult.StoreError) {
                    waiting.moveToEnd(batch.get(i));
                } else {
                    anyAnswer |= waiting.remove(batch.get(i));
                }
            }
        } finally {
            lock.unlock();
        }
        return anyAnswer;
    }

    private List<PendingRelease> next() {
        lock.lock();
        try {
            return waiting.next(WriteQueue.BATCH, PendingRelease::isPointless);
        } finally {
            lock.unlock();
        }
    }

    public int size() {
        lock.lock();
        try {
            return waiting.size();
        } finally {
            lock.unlock();
        }
    }
}
