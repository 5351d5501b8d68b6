package io.dedup.store.redis.internal.script;

import io.dedup.store.redis.internal.connection.Commands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;

/**
 * How many replicas must confirm a write.
 *
 * @param replicas 0 for none
 * @param timeout how long the server may wait for them
 */
public record ReplicaConfirmation(int replicas, Duration timeout) {
    public static final ReplicaConfirmation NONE = new ReplicaConfirmation(0, Duration.ZERO);

    public boolean isWanted() {
        return replicas > 0;
    }

    /**
     * Creates the {@code WAIT} command. It must be sent together with the writes before it, so that it is sent on the
     * same connection or not at all: on another one, replicas confirm it without having them.
     */
    AsyncCommand<byte[], byte[], Long> newWait() {
        return Commands.newCommand(
                CommandType.WAIT,
                new IntegerOutput<>(ByteArrayCodec.INSTANCE),
                Commands.args().add(replicas).add(timeout.toMillis()));
    }
}
