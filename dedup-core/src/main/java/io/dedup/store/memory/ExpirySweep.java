package io.dedup.store.memory;

import io.dedup.DedupKey;
import java.util.Collections;
import java.util.Iterator;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Removes expired records as claims come in, a few at a time, so that no single claim pays for all of them. It pauses
 * between two passes, because even an emptied map takes as long to iterate as when it was full; but the pause is short
 * enough that fewer records are added meanwhile than a pass removes.
 */
final class ExpirySweep {
    private static final int CLAIMS_PER_STEP = 64;
    private static final int KEYS_PER_STEP = 256;
    private static final int MIN_REST = 8_192;

    private final ConcurrentHashMap<DedupKey, MemoryRecord> records;
    private final AtomicInteger claims = new AtomicInteger();
    private final ReentrantLock walking = new ReentrantLock();
    private Iterator<DedupKey> walk = Collections.emptyIterator();
    private long rest = MIN_REST;
    private int mostRecords;

    ExpirySweep(ConcurrentHashMap<DedupKey, MemoryRecord> records) {
        this.records = records;
    }

    /** Called with every claim. */
    void afterClaim(long now) {
        if (claims.incrementAndGet() % CLAIMS_PER_STEP == 0 && walking.tryLock()) {
            try {
                step(now);
            } finally {
                walking.unlock();
            }
        }
    }

    private void step(long now) {
        rest -= CLAIMS_PER_STEP;
        if (rest > 0) {
            return;
        }
        if (!walk.hasNext()) {
            walk = records.keySet().iterator();
            mostRecords = Math.max(mostRecords, records.size());
        }
        for (int i = 0; i < KEYS_PER_STEP && walk.hasNext(); i++) {
            DedupKey key = walk.next();
            MemoryRecord record = records.get(key);
            if (record != null && record.isExpired(now)) {
                // Only this very record: another claim may have replaced it since.
                records.remove(key, record);
            }
        }
        if (!walk.hasNext()) {
            rest = Math.max(MIN_REST, mostRecords / 4);
        }
    }
}
