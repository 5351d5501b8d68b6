package io.dedup.store.redis.internal.connection;

import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.protocol.AsyncCommand;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A connection to one server: a standalone one, or the master that the sentinels name. */
public final class SingleLink implements RedisLink {
    private static final long QUIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final StatefulRedisConnection<byte[], byte[]> connection;
    private final AtomicLong nextQuit = new AtomicLong(System.nanoTime());

    public SingleLink(StatefulRedisConnection<byte[], byte[]> connection) {
        this.connection = connection;
    }

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

    @Override
    public Object serverOf(ByteBuffer key) {
        return connection;
    }

    /**
     * A master that becomes a replica does not close its connections (unless a sentinel does), and would reject every
     * write forever. This closes the connection, at most once a second; the driver then connects to the server that the
     * address points to by now.
     */
    @Override
    public void refused(String error) {
        if (!error.contains("READONLY")) {
            return;
        }
        long now = System.nanoTime();
        long next = nextQuit.get();
        if (now - next >= 0 && nextQuit.compareAndSet(next, now + QUIT_NANOS)) {
            var unused = connection.async().quit();
        }
    }
}
