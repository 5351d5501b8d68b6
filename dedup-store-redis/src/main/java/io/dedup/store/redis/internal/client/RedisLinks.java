package io.dedup.store.redis.internal.client;

import io.dedup.store.redis.internal.connection.RedisLink;
import io.dedup.store.redis.internal.server.RecordServers;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.List;

/**
 * Open connections to wherever the records are.
 *
 * @param where hosts and ports, never credentials
 * @param main for everything but the heartbeat
 * @param heartbeat for renewals, which no large batch shall hold up
 * @param masters the servers that hold the records, as they were found first
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

    /** After a failure, which tells more than what fails here because of it. */
    public void closeAfter(Throwable failure) {
        opened.closeAfter(failure);
    }
}
