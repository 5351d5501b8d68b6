package io.dedup.spring.boot.internal.metrics;

import io.dedup.spring.boot.internal.store.DedupStores;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;

/** The meter of a store in Redis that packs records. */
public final class RedisMeters {
    static final String OVERGROWN = "dedup.redis.buckets.overgrown";

    /** Registers it. The store may be opened later. */
    public RedisMeters(MeterRegistry registry, DedupStores stores) {
        FunctionCounter.builder(OVERGROWN, stores, DedupStores::overgrownBuckets)
                .description(
                        "completions that met a bucket which the server stores in its larger form; one in 64 looks")
                .register(registry);
    }
}
