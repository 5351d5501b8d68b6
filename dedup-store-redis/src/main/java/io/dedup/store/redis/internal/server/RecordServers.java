package io.dedup.store.redis.internal.server;

import io.lettuce.core.api.StatefulRedisConnection;
import java.util.List;

/** Finds all servers that hold records, for who wants to see every record. */
public interface RecordServers {
    /**
     * Asks anew.
     *
     * @throws RuntimeException when it isn't certain which servers those are
     */
    Snapshot find(ServerQueries queries);

    /**
     * The servers at one moment.
     *
     * @param layout which server holds what. As long as it is equal, no record has come to where it wasn't looked for
     * @param opened is closed afterwards
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
