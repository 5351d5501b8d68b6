package io.dedup.store.redis.internal.packed;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts and reports buckets that a server stores in its larger form. Thread-safe. */
public final class OvergrownBuckets implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(OvergrownBuckets.class);
    private static final long PAUSE_NANOS = TimeUnit.HOURS.toNanos(1);

    private final String where;
    private final long expectedIds;
    private final AtomicLong seen = new AtomicLong();
    private final AtomicLong nextWarning = new AtomicLong(System.nanoTime());

    /** @param where hosts and ports, for the warning */
    public OvergrownBuckets(String where, long expectedIds) {
        this.where = where;
        this.expectedIds = expectedIds;
    }

    /** Counts a bucket, and warns at most once an hour. */
    @Override
    public void run() {
        seen.incrementAndGet();
        long now = System.nanoTime();
        long next = nextWarning.get();
        if (now - next >= 0 && nextWarning.compareAndSet(next, now + PAUSE_NANOS)) {
            log.warn(
                    "Redis {}: a bucket of packed records has outgrown the server's hash-max-listpack-entries"
                            + " (before Redis 7.0: hash-max-ziplist-entries). Its records are found as before, but take"
                            + " several times the memory. There are more records than packed({}) expects, or the"
                            + " server's limit is below 512: raise the limit, or use a new namespace with more expected"
                            + " IDs, which forgets all windows",
                    where,
                    expectedIds);
        }
    }

    /** How often a completion met such a bucket, of which one in 64 looks. */
    public long count() {
        return seen.get();
    }
}
