package io.dedup.store.redis.internal.connection;

import io.lettuce.core.protocol.AsyncCommand;
import java.nio.ByteBuffer;
import java.util.List;

/** A connection to a server or a cluster. Thread-safe; sending never blocks and never throws for the network's sake. */
public interface RedisLink {
    /**
     * The answer, or what went wrong, is left in the command. In a cluster, follows a slot that has moved, and fails
     * where the connection to a server is still being opened.
     */
    void send(AsyncCommand<byte[], byte[], ?> command);

    /**
     * Sends commands one right behind the other, where they go to the same server. In a cluster, waits for connections
     * that are still being opened, and leaves {@code MOVED} in the command.
     */
    void sendAll(List<AsyncCommand<byte[], byte[], ?>> commands);

    /** Keys that begin as given, one on each server, where there are several servers; else none. */
    default List<byte[]> keyOnEachServer(byte[] prefix) {
        return List.of();
    }

    /** Whether every key may be on a server of its own, so that a script can be given one key only. */
    boolean isCluster();

    /** Stands for the server that has this key, to be compared with others of this link. */
    Object serverOf(ByteBuffer key);

    /** A server has refused a command; the error says why. */
    default void refused(String error) {}
}
