package io.dedup.store.redis.internal.client;

import io.dedup.store.redis.internal.connection.SingleLink;
import io.dedup.store.redis.internal.server.SingleServers;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.util.List;

/** Connects to a standalone server, or to the master that sentinels name. */
public record SingleConnector(RedisClient client, RedisURI uri, Closing closing) implements RedisConnector {
    @Override
    public RedisLinks open() {
        try {
            StatefulRedisConnection<byte[], byte[]> main = connect();
            return new RedisLinks(
                    where(),
                    new SingleLink(main),
                    new SingleLink(connect()),
                    List.of(main),
                    new SingleServers(client, uri, main),
                    closing);
        } catch (RuntimeException | LinkageError e) {
            closing.closeAfter(e);
            throw e;
        }
    }

    private StatefulRedisConnection<byte[], byte[]> connect() {
        return closing.opened(client.connect(ByteArrayCodec.INSTANCE, uri));
    }

    @Override
    public String where() {
        return RedisUris.where(List.of(uri));
    }
}
