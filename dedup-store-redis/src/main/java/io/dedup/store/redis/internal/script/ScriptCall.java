package io.dedup.store.redis.internal.script;

import io.dedup.DedupStoreException;
import io.dedup.store.redis.internal.connection.Commands;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.CommandType;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One request to the server, which may have to be sent twice, and its answer. Used by one thread.
 *
 * @param <T> the answer
 */
public final class ScriptCall<T> {
    private final Script script;
    private final BulkStrings arguments;
    private final Supplier<CommandOutput<byte[], byte[], T>> output;
    private @Nullable AsyncCommand<byte[], byte[], T> command;
    private @Nullable T answer;
    private @Nullable DedupStoreException failure;

    public ScriptCall(Script script, BulkStrings arguments, Supplier<CommandOutput<byte[], byte[], T>> output) {
        this.script = script;
        this.arguments = arguments;
        this.output = output;
    }

    String operation() {
        return script.operation();
    }

    /** Creates a new command with the script's digest, which the server may not know. */
    void useDigest() {
        newCommand(CommandType.EVALSHA, script.digest());
    }

    /** Creates a new command with the script's source, after which the server knows its digest. */
    void useSource() {
        newCommand(CommandType.EVAL, script.source());
    }

    private void newCommand(CommandType type, byte[] head) {
        command = Commands.newCommand(type, output.get(), new BulkStringArgs(head, arguments));
    }

    /** The command made last. */
    AsyncCommand<byte[], byte[], T> command() {
        return Objects.requireNonNull(command);
    }

    ByteBuffer firstKey() {
        return arguments.firstKey();
    }

    void answered(T value) {
        answer = value;
    }

    void failed(DedupStoreException cause) {
        failure = cause;
    }

    /** Null when there is an answer. */
    @Nullable
    public DedupStoreException failure() {
        return failure;
    }

    public T answer() {
        return Objects.requireNonNull(answer);
    }
}
