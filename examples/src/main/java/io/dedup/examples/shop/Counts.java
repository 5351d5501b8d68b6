package io.dedup.examples.shop;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** How often the consumers reported each event. Thread-safe. */
public final class Counts {
    private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();

    public void add(String event) {
        counts.computeIfAbsent(event, any -> new LongAdder()).increment();
    }

    public long of(String event) {
        LongAdder count = counts.get(event);
        return count == null ? 0 : count.sum();
    }

    @Override
    public String toString() {
        return "delivered " + of("DELIVERED") + ", handled " + of("HANDLED") + ", duplicates acked " + of("DUPLICATE")
                + ", in flight deferred " + of("DEFERRED");
    }
}
