package io.dedup.store.redis.internal.client;

/** Opens connections. If it fails, it closes those that it has opened. */
public interface RedisConnector {
    /** @throws RuntimeException the driver's, when a server doesn't answer */
    RedisLinks open();

    /** Hosts and ports, never credentials. */
    String where();
}
