package io.dedup.spring.boot.internal.store;

import org.jspecify.annotations.Nullable;

/** Where Redis is as Spring Boot knows it. A bean, as each line of Spring Boot has other classes for it. */
@FunctionalInterface
public interface BootRedis {
    /** Returns null if Spring Boot has no Redis configured. */
    @Nullable
    RedisServers servers();
}
