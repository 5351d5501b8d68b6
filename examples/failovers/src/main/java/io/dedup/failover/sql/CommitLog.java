package io.dedup.failover.sql;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Messages whose effects the database has confirmed as committed, even if it lost them later. Thread-safe. */
final class CommitLog {
    private final Set<String> messages = ConcurrentHashMap.newKeySet();
    private final LongAdder count = new LongAdder();

    void add(String id) {
        messages.add(id);
        count.increment();
    }

    boolean contains(String id) {
        return messages.contains(id);
    }

    /** How many commits there were. */
    long count() {
        return count.sum();
    }
}
