package io.dedup.store.redis.internal.connection;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;

/** Creates commands whose keys and values are bytes. */
public final class Commands {
    private Commands() {}

    public static CommandArgs<byte[], byte[]> args() {
        return new CommandArgs<>(ByteArrayCodec.INSTANCE);
    }

    public static <T> AsyncCommand<byte[], byte[], T> newCommand(
            CommandType type, CommandOutput<byte[], byte[], T> output, CommandArgs<byte[], byte[]> args) {
        return new AsyncCommand<>(new Command<>(type, output, args));
    }
}
