package io.dedup.store.redis.internal.server;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.util.List;

/**
 * The only server of a standalone setup, or the master that the sentinels report now.
 *
 * <p>A master that was cut off still considers itself the master for a while; therefore, the sentinels are asked again
 * through a new connection.
 *
 * @param main the connection in use
 */
public record SingleMaster(RedisClient client, RedisURI uri, StatefulRedisConnection<byte[], byte[]> main)
        implements RecordServers {
    @Override
    public Snapshot find(ServerQueries queries) {
        StatefulRedisConnection<byte[], byte[]> fresh = client.connect(ByteArrayCodec.INSTANCE, uri);
        try {
            String runId = queries.master(fresh).runId();
            if (!runId.equals(queries.master(main).runId())) {
                throw queries.unclear("a new connection reaches another server than the connection in use");
            }
            return new Snapshot(List.of(fresh), runId, List.of(fresh));
        } catch (RuntimeException e) {
            fresh.close();
            throw e;
        }
    }
}
