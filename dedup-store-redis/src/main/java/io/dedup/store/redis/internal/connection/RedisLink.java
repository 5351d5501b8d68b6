package io.dedup.store.redis.internal.connection;

import io.lettuce.core.protocol.AsyncCommand;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A connection to a server or a cluster. Thread-safe; sending never blocks, and never throws because of the network.
 */
public interface RedisLink {
    /**
     * Sends a command, which receives the answer or the failure. In a cluster, follows a slot that has moved; if the
     * connection to a server is still being opened, fails with Lettuce 7.7, and is sent as soon as it is open with an
     * older one.
     */
    void send(AsyncCommand<byte[], byte[], ?> command);

    /**
     * Sends commands back to back, and on one connection, if they go to the same server. In a cluster, waits for
     * connections that are still being opened, and leaves {@code MOVED} in the command.
     */
    void sendAll(List<AsyncCommand<byte[], byte[], ?>> commands);

    /** Returns keys with this prefix, one on each server of a cluster; none for a single server. */
    default List<byte[]> keyOnEachServer(byte[] prefix) {
        return List.of();
    }

    /** Whether every key may be on a different server, so that a script can be given only one key. */
    boolean isCluster();

    /** Identifies the server that has this key, to compare it with others of this link. */
    Object serverOf(ByteBuffer key);

    /** Called when a server has rejected a command with this error. */
    default void refused(String error) {}
}
