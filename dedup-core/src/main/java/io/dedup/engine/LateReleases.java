package io.dedup.engine;

import io.dedup.store.ReleaseRequest;
import io.dedup.store.WriteResult;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** Claims to give up that the store couldn't be told of, until their leases are over. Thread-safe. */
final class LateReleases {
    private static final int CAPACITY = 100_000;

    private final StoreCalls store;
    private final ReentrantLock lock;
    private final WorkList<LateRelease> waiting = new WorkList<>(LateRelease::claim);

    LateReleases(StoreCalls store, ReentrantLock lock) {
        this.store = store;
        this.lock = lock;
    }

    void add(ReleaseRequest request, Duration lease) {
        lock.lock();
        try {
            if (waiting.size() < CAPACITY) {
                waiting.add(new LateRelease(request, System.nanoTime() + lease.toNanos()));
            }
        } finally {
            lock.unlock();
        }
    }

    /** Tells the store of some; whether it answered any. */
    boolean tell() {
        List<LateRelease> batch = next();
        List<WriteResult> answers =
                store.releaseAll(batch.stream().map(LateRelease::request).toList());
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

    private List<LateRelease> next() {
        lock.lock();
        try {
            return waiting.next(BackgroundWrites.BATCH, LateRelease::isPointless);
        } finally {
            lock.unlock();
        }
    }

    int size() {
        lock.lock();
        try {
            return waiting.size();
        } finally {
            lock.unlock();
        }
    }
}
