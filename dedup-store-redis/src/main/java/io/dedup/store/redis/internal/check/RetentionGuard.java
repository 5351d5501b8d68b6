package io.dedup.store.redis.internal.check;

import io.dedup.DedupStoreException;
import io.dedup.store.redis.internal.connection.CommandExchange;
import io.dedup.store.redis.internal.connection.Commands;
import io.dedup.store.redis.internal.connection.RedisErrors;
import io.dedup.store.redis.internal.connection.RedisLink;
import io.dedup.store.redis.internal.record.RecordKeys;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.ByteArrayOutput;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.CommandType;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Ensures that all stores of a namespace have the same attempt retention. A lease is live while the key's time to live
 * exceeds the retention, so stores with different values would end each other's live leases.
 */
public final class RetentionGuard {
    private final CommandExchange exchange;
    private final RedisErrors errors;
    private final byte[] key;
    private final byte[] pingKey;
    private final Duration retention;
    private final byte[] value;

    public RetentionGuard(CommandExchange exchange, RedisErrors errors, RecordKeys keys, Duration retention) {
        this.exchange = exchange;
        this.errors = errors;
        this.key = keys.retentionKey();
        this.pingKey = keys.pingKey();
        this.retention = retention;
        this.value = Long.toString(retention.toMillis()).getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Writes the retention if there is none, and otherwise compares it.
     *
     * @throws DedupStoreException if it differs, or the server does not answer
     */
    public void check(RedisLink link, String operation) {
        if (!compare(link, operation)) {
            exchange.call(link, operation, set(key, "NX"));
            if (!compare(link, operation)) {
                throw refused(operation, "missing");
            }
        }
    }

    /**
     * Compares the retention with that of the namespace.
     *
     * @return false if it has none: no store has started on it yet
     * @throws DedupStoreException if it differs, or the server does not answer
     */
    boolean compare(RedisLink link, String operation) {
        byte[] found = read(link, operation);
        if (found != null && !Arrays.equals(found, value)) {
            throw refused(operation, new String(found, StandardCharsets.US_ASCII) + " ms");
        }
        return found != null;
    }

    private DedupStoreException refused(String operation, String found) {
        return new DedupStoreException(
                "Redis " + errors.where() + ": " + operation + " refused: attemptRetention is " + retention.toMillis()
                        + " ms, but the namespace was created with " + found
                        + ". Set attemptRetention to that value, or use another namespace, which forgets all windows",
                null);
    }

    /**
     * Like {@link #check}, but always writes, because a server that has become a replica still answers reads. In a
     * cluster, asks each server that holds records to replace an absent key, which changes nothing and is rejected like
     * a claim.
     */
    public void checkWriting(RedisLink link, String operation) {
        exchange.call(link, operation, set(key, "NX"));
        check(link, operation);
        for (byte[] absent : link.keyOnEachServer(pingKey)) {
            exchange.call(link, operation, set(absent, "XX"));
        }
    }

    private byte @Nullable [] read(RedisLink link, String operation) {
        return exchange.call(
                link,
                operation,
                Commands.newCommand(
                        CommandType.GET,
                        new ByteArrayOutput<>(ByteArrayCodec.INSTANCE),
                        Commands.args().addKey(key)));
    }

    private AsyncCommand<byte[], byte[], String> set(byte[] of, String condition) {
        return Commands.newCommand(
                CommandType.SET,
                new StatusOutput<>(ByteArrayCodec.INSTANCE),
                Commands.args().addKey(of).add(value).add(condition));
    }
}
