package io.dedup.store.redis.internal.server;

import io.lettuce.core.api.StatefulRedisConnection;
import java.util.List;

/** Finds all servers that hold records, for commands that must see every record. */
public interface RecordServers {
    /**
     * Finds the servers again.
     *
     * @throws RuntimeException if the result is not certain
     */
    Snapshot find(ServerQueries queries);

    /**
     * The servers at one moment.
     *
     * @param layout which server holds what; while it stays equal, no record has moved to a server that was already
     *     scanned
     * @param opened connections to close afterwards
     */
    record Snapshot(
            List<StatefulRedisConnection<byte[], byte[]>> servers,
            Object layout,
            List<StatefulRedisConnection<byte[], byte[]>> opened)
            implements AutoCloseable {
        @Override
        public void close() {
            opened.forEach(StatefulRedisConnection::close);
        }
    }
}
