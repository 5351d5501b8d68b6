package io.dedup.store.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.util.List;

/** Connects to a standalone server, or to the master that sentinels name. */
record SingleConnector(RedisClient client, RedisURI uri, Runnable closeClient) implements RedisConnector {
    @Override
    public RedisLinks open() {
        try {
            StatefulRedisConnection<byte[], byte[]> main = client.connect(ByteArrayCodec.INSTANCE, uri);
            try {
                RedisLink heartbeat = new SingleLink(client.connect(ByteArrayCodec.INSTANCE, uri));
                return new RedisLinks(where(), new SingleLink(main), heartbeat, List.of(main), closeClient);
            } catch (RuntimeException e) {
                main.close();
                throw e;
            }
        } catch (RuntimeException e) {
            closeClient.run();
            throw e;
        }
    }

    @Override
    public String where() {
        return RedisUris.where(List.of(uri));
    }
}
