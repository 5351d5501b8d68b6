package io.dedup.store.redis.internal.client;

import io.dedup.store.redis.internal.connection.RedisLink;
import io.dedup.store.redis.internal.server.RecordServers;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.List;

/**
 * The open connections of a store.
 *
 * @param where hosts and ports, never credentials
 * @param main for everything except the heartbeat
 * @param heartbeat for renewals, so that no large batch delays them
 * @param masters the servers that hold the records, as found at start
 * @param servers finds them again
 */
public record RedisLinks(
        String where,
        RedisLink main,
        RedisLink heartbeat,
        List<StatefulRedisConnection<byte[], byte[]>> masters,
        RecordServers servers,
        OpenConnections opened) {
    public void close() {
        opened.close();
    }

    /** Closes after a failure; see {@link OpenConnections#closeAfter}. */
    public void closeAfter(Throwable failure) {
        opened.closeAfter(failure);
    }
}
