package io.dedup.examples.quickstart;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** How often the consumers told each of their events. Thread-safe. */
final class Counts {
    private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();

    void add(String event) {
        counts.computeIfAbsent(event, any -> new LongAdder()).increment();
    }

    long of(String event) {
        LongAdder count = counts.get(event);
        return count == null ? 0 : count.sum();
    }

    @Override
    public String toString() {
        return "delivered " + of("DELIVERED") + ", handled " + of("HANDLED") + ", duplicates acked " + of("DUPLICATE")
                + ", in flight deferred " + of("DEFERRED");
    }
}
