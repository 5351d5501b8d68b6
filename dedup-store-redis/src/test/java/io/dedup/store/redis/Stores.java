package io.dedup.store.redis;

import java.time.Duration;

/** Stores for tests that aren't about timeouts, on machines that may be busy with other tests. */
final class Stores {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private Stores() {}

    static RedisDedupStoreBuilder builder() {
        return RedisDedupStore.builder().commandTimeout(PATIENCE);
    }
}
