package io.dedup.store.redis;

import io.dedup.store.redis.internal.script.ReplicaConfirmation;
import java.time.Duration;

/** What a store was asked to be, already checked by {@link RedisDedupStoreBuilder}. */
record RedisSettings(
        String namespace,
        Duration attemptRetention,
        Duration commandTimeout,
        int maxBatch,
        ReplicaConfirmation confirmation) {}
