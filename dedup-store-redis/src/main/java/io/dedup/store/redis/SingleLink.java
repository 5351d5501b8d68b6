package io.dedup.store.redis;

import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.protocol.AsyncCommand;
import java.util.List;

/** A connection to one server: a standalone one, or the master that the sentinels name. */
record SingleLink(StatefulRedisConnection<byte[], byte[]> connection) implements RedisLink {
    @Override
    public void send(AsyncCommand<byte[], byte[], ?> command) {
        connection.dispatch(command);
    }

    @Override
    public void sendAll(List<AsyncCommand<byte[], byte[], ?>> commands) {
        connection.dispatch(commands);
    }

    @Override
    public boolean isCluster() {
        return false;
    }
}
