package io.dedup.spring.boot.internal.store;

import io.dedup.DedupStoreException;
import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.PackedProperties;
import io.dedup.spring.boot.RedisProperties;
import io.dedup.store.DedupStore;
import io.dedup.store.redis.RedisDedupStore;
import io.dedup.store.redis.RedisDedupStoreBuilder;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** Opens the store in Redis. */
final class RedisStores {
    private RedisStores() {}

    /**
     * Opens it.
     *
     * @param order receives the beans that the store needs
     * @throws DedupConfigurationException says what to change
     */
    static DedupStore open(RedisProperties properties, ConfigurableListableBeanFactory beans, CloseOrder order) {
        String settings = properties.getUrl() == null ? "spring.data.redis" : "dedup.redis.url";
        try {
            RedisDedupStoreBuilder builder = RedisDedupStore.builder()
                    .namespace(properties.getNamespace())
                    .attemptRetention(properties.getAttemptRetention())
                    .commandTimeout(properties.getCommandTimeout());
            pack(builder, properties.getPacked());
            if (properties.getUrl() != null) {
                builder.uri(properties.getUrl());
            } else if (!RedisConnection.connect(builder, beans, order)) {
                throw new DedupConfigurationException(
                        "The deduplication store needs Redis, but no Redis server is configured.",
                        "Set dedup.redis.url. Or add spring-boot-starter-data-redis and configure spring.data.redis.");
            }
            return builder.build();
        } catch (IllegalArgumentException | DedupStoreException e) {
            throw RedisFailure.of(e, settings);
        }
    }

    static long overgrownBuckets(DedupStore store) {
        return store instanceof RedisDedupStore redis ? redis.overgrownBuckets() : 0;
    }

    private static void pack(RedisDedupStoreBuilder builder, PackedProperties packed) {
        Long expectedIds = packed.getExpectedIds();
        if (expectedIds == null) {
            return;
        }
        if (packed.isWrite()) {
            builder.packed(expectedIds);
        } else {
            builder.readPacked(expectedIds);
        }
    }
}
