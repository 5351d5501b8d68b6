package io.dedup.store.redis.internal.client;

/** Opens connections. Whatever it opened before it failed is closed again. */
public interface RedisConnector {
    /** @throws RuntimeException the driver's, when a server doesn't answer */
    RedisLinks open();

    /** Hosts and ports, never credentials. */
    String where();
}
