package io.dedup.benchmarks.redis;

import io.dedup.benchmarks.subject.IdSlots;
import io.dedup.benchmarks.subject.IdSlots.Slot;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/** A command that was captured, to be sent for other messages. Thread-safe. */
record CapturedCommand(CommandType type, List<Slot> arguments) {
    static CapturedCommand of(List<byte[]> words, IdSlots slots) {
        String name = new String(words.get(0), StandardCharsets.US_ASCII);
        return new CapturedCommand(
                CommandType.valueOf(name.toUpperCase(Locale.ROOT)),
                words.stream().skip(1).map(slots::find).toList());
    }

    boolean holdsIds() {
        return arguments.stream().anyMatch(Slot::holdsId);
    }

    AsyncCommand<byte[], byte[], List<Object>> forMessages(List<String> ids) {
        CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE);
        for (Slot argument : arguments) {
            args.add(argument.bytes(ids));
        }
        return new AsyncCommand<>(new Command<>(type, new NestedMultiOutput<>(ByteArrayCodec.INSTANCE), args));
    }
}
