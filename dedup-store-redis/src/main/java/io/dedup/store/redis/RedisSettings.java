package io.dedup.store.redis;

import io.dedup.store.redis.internal.packed.Packing;
import io.dedup.store.redis.internal.script.ReplicaConfirmation;
import java.time.Duration;

/** The settings of a store, checked by {@link RedisDedupStoreBuilder}. */
record RedisSettings(
        String namespace,
        Duration attemptRetention,
        Duration commandTimeout,
        int maxBatch,
        Packing packing,
        long expectedIds,
        ReplicaConfirmation confirmation) {}
