package io.dedup.store.redis.internal.record;

import io.dedup.DedupStoreException;
import io.dedup.Fingerprint;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.redis.internal.connection.CommandExchange;
import io.dedup.store.redis.internal.connection.Commands;
import io.dedup.store.redis.internal.connection.RedisLink;
import io.dedup.store.redis.internal.script.BulkStringArgs;
import io.dedup.store.redis.internal.script.BulkStrings;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.ByteArrayOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.CommandType;
import org.jspecify.annotations.Nullable;

/**
 * A claim by {@code SET … NX GET PX}, which servers support since 7.0: much less work for the server than a script.
 *
 * <p>It cannot read the server's time, so it returns no fencing token. If another claim is in the way, the script must
 * look again.
 */
public final class NativeClaim {
    private static final String OPERATION = "claim";
    private static final ClaimResult FIRST = new ClaimResult.Acquired(1, 0, false, 0);
    private static final int BYTES_AROUND = 160;

    private final RecordKeys keys;
    private final ScriptCalls calls;
    private final CommandExchange exchange;

    public NativeClaim(RecordKeys keys, ScriptCalls calls, CommandExchange exchange) {
        this.keys = keys;
        this.calls = calls;
        this.exchange = exchange;
    }

    /**
     * Claims a message.
     *
     * @return null if the script must answer instead
     */
    @Nullable
    ClaimResult claim(RedisLink link, ClaimRequest request) {
        byte[] found;
        try {
            found = exchange.call(link, OPERATION, command(request));
        } catch (DedupStoreException e) {
            if (e.getCause() instanceof RedisCommandExecutionException refusal
                    && String.valueOf(refusal.getMessage()).startsWith("OOM")) {
                return null; // a duplicate needs no memory, but SET asks for it first
            }
            throw e;
        }
        if (found == null) {
            return FIRST;
        }
        try {
            return DoneValue.isDone(found) ? alreadyDone(found, request.fingerprint()) : null;
        } catch (RuntimeException e) { // another program wrote it: the script's answer says so
            return null;
        }
    }

    private static ClaimResult alreadyDone(byte[] value, @Nullable Fingerprint mine) {
        DoneValue done = DoneValue.parse(value);
        Fingerprint theirs = done.fingerprint();
        return mine != null && theirs != null && !mine.equals(theirs)
                ? new ClaimResult.Conflict()
                : new ClaimResult.AlreadyDone(done.completedAt(), done.attempt(), done.result());
    }

    private AsyncCommand<byte[], byte[], byte[]> command(ClaimRequest request) {
        Fingerprint fingerprint = request.fingerprint();
        String value = "P" + request.owner().value() + ",1,0,0," + (fingerprint == null ? "" : fingerprint.value());
        BulkStrings arguments = new BulkStrings(BYTES_AROUND)
                .addKey(keys.prefix(request.key().scope()), RecordKeys.id(request.key()))
                .add(value)
                .add("NX")
                .add("GET")
                .add("PX")
                .add(calls.timeToLive(ScriptCalls.leaseMillis(request.lease())));
        return Commands.newCommand(
                CommandType.SET, new ByteArrayOutput<>(ByteArrayCodec.INSTANCE), new BulkStringArgs(arguments));
    }
}
