package io.dedup.store.redis.internal.check;

import io.dedup.DedupStoreException;
import io.dedup.store.redis.internal.connection.CommandExchange;
import io.dedup.store.redis.internal.connection.Commands;
import io.dedup.store.redis.internal.connection.RedisErrors;
import io.dedup.store.redis.internal.connection.RedisLink;
import io.dedup.store.redis.internal.packed.PackedSettings;
import io.dedup.store.redis.internal.packed.Packing;
import io.dedup.store.redis.internal.record.RecordKeys;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.ByteArrayOutput;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.CommandType;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Ensures that all stores of a namespace find packed records in the same places. The first one that is packed fixes the
 * number of buckets.
 */
public final class PackedGuard {
    private final CommandExchange exchange;
    private final RedisErrors errors;
    private final byte[] key;

    public PackedGuard(CommandExchange exchange, RedisErrors errors, RecordKeys keys) {
        this.exchange = exchange;
        this.errors = errors;
        this.key = keys.packedKey();
    }

    /**
     * Checks the namespace of a store that doesn't know packed records.
     *
     * @throws DedupStoreException if the namespace is packed, or the server does not answer
     */
    public void checkUnpacked(RedisLink link, String operation) {
        String found = read(link, operation);
        if (found != null && PackedSettings.isWritten(found)) {
            PackedSettings stored = parsed(found, operation);
            throw refused(
                    operation,
                    "the namespace has packed records, which this store would not find. Set packed("
                            + stored.expectedIds() + "), or use another namespace, which forgets all windows");
        }
    }

    /**
     * Checks a namespace that is in use, before a store packs in it.
     *
     * @throws DedupStoreException if its stores don't know packed records, or the server does not answer
     */
    void requireReaders(RedisLink link, String operation, PackedSettings wanted) {
        if (read(link, operation) == null) {
            String expected = "(" + wanted.expectedIds() + ")";
            throw refused(
                    operation,
                    "the namespace was used by stores that don't know packed records. One that still runs would handle"
                            + " packed messages again. First deploy readPacked" + expected
                            + " to all processes, and only then packed" + expected);
        }
    }

    /**
     * Compares a store's settings with those of the namespace, which are written if there are none.
     *
     * @param packing whether this store packs: from then on, stores that don't know packed records are refused
     * @throws DedupStoreException if those that are stored have another number of buckets, or the server does not
     *     answer
     */
    public void check(RedisLink link, String operation, PackedSettings wanted, Packing packing) {
        String found = read(link, operation);
        if (found == null) {
            exchange.call(link, operation, set(wanted.text(packing), "NX"));
            found = read(link, operation);
        }
        if (found == null) {
            throw refused(operation, "the settings of the packed namespace are missing");
        }
        PackedSettings stored = parsed(found, operation);
        if (stored.bucketsPerSlot() != wanted.bucketsPerSlot()) {
            throw refused(
                    operation,
                    "packed(" + wanted.expectedIds() + ") needs another number of buckets than packed("
                            + stored.expectedIds() + "), with which the namespace was created. Set packed("
                            + stored.expectedIds() + "): more IDs are possible, but take more memory. Or use another"
                            + " namespace, which forgets all windows");
        }
        if (packing.writes() && !PackedSettings.isWritten(found)) {
            exchange.call(link, operation, set(stored.text(packing), "XX"));
        }
    }

    private PackedSettings parsed(String found, String operation) {
        PackedSettings stored = PackedSettings.parse(found);
        if (stored == null) {
            throw refused(
                    operation,
                    "the namespace was created by a version of this store that packs records in another way. Use that"
                            + " version, or another namespace, which forgets all windows");
        }
        return stored;
    }

    private DedupStoreException refused(String operation, String problem) {
        return new DedupStoreException("Redis " + errors.where() + ": " + operation + " refused: " + problem, null);
    }

    private AsyncCommand<byte[], byte[], String> set(String text, String condition) {
        return Commands.newCommand(
                CommandType.SET,
                new StatusOutput<>(ByteArrayCodec.INSTANCE),
                Commands.args()
                        .addKey(key)
                        .add(text.getBytes(StandardCharsets.US_ASCII))
                        .add(condition));
    }

    private @Nullable String read(RedisLink link, String operation) {
        byte[] found = exchange.call(
                link,
                operation,
                Commands.newCommand(
                        CommandType.GET,
                        new ByteArrayOutput<>(ByteArrayCodec.INSTANCE),
                        Commands.args().addKey(key)));
        return found == null ? null : new String(found, StandardCharsets.US_ASCII);
    }
}
