package io.dedup.store.redis.internal.client;

import io.dedup.store.redis.internal.connection.SingleLink;
import io.dedup.store.redis.internal.server.SingleMaster;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.util.List;

/** Connects to a standalone server, or to the master that sentinels name. */
public record SingleConnector(RedisClient client, RedisURI uri, OpenConnections opened) implements RedisConnector {
    @Override
    public RedisLinks open() {
        try {
            StatefulRedisConnection<byte[], byte[]> main = connect();
            return new RedisLinks(
                    where(),
                    new SingleLink(main),
                    new SingleLink(connect()),
                    List.of(main),
                    new SingleMaster(client, uri, main),
                    opened);
        } catch (RuntimeException | LinkageError e) {
            opened.closeAfter(e);
            throw e;
        }
    }

    private StatefulRedisConnection<byte[], byte[]> connect() {
        return opened.add(client.connect(ByteArrayCodec.INSTANCE, uri));
    }

    @Override
    public String where() {
        return RedisUris.where(List.of(uri));
    }
}
