package io.dedup.store.redis;

/** Opens connections. Whatever it opened before it failed is closed again. */
interface RedisConnector {
    /** @throws RuntimeException the driver's, when a server doesn't answer */
    RedisLinks open();

    /** Hosts and ports, never credentials. */
    String where();
}
