package io.dedup.store.redis.internal.operator;

import io.dedup.DedupStoreException;
import io.dedup.store.redis.internal.client.RedisLinks;
import io.dedup.store.redis.internal.connection.CommandExchange;
import io.dedup.store.redis.internal.connection.Commands;
import io.dedup.store.redis.internal.connection.RedisErrors;
import io.dedup.store.redis.internal.record.RecordKeys;
import io.dedup.store.redis.internal.script.ReplicaConfirmation;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Deletes every record of a namespace, page by page; for one call. A record that stays would mark a message as done whose effect is
 * gone: see {@link NamespaceWalk}.
 */
final class ForgetAll {
    private static final String OPERATION = "forgetAll";

    private final RedisLinks links;
    private final RedisErrors errors;
    private final RecordKeys keys;
    private final NamespaceWalk walk;
    private long removed;

    ForgetAll(
            RedisLinks links,
            CommandExchange exchange,
            RedisErrors errors,
            RecordKeys keys,
            ReplicaConfirmation confirmation) {
        this.links = links;
        this.errors = errors;
        this.keys = keys;
        this.walk =
                new NamespaceWalk(OPERATION, links, exchange, errors, confirmation, new KeyPages(keys.everything()));
    }

    /**
     * Deletes the records.
     *
     * @return the number of deleted records
     */
    long run() {
        try {
            walk.run(this::remove);
            return removed;
        } catch (RuntimeException e) {
            DedupStoreException failure = errors.failed(OPERATION, e);
            throw new DedupStoreException(
                    failure.getMessage() + ". Removed " + removed
                            + " records; others may be left. Repeat the call before any consumer" + " starts",
                    failure);
        }
    }

    /** Removes records and buckets; keeps what the namespace itself needs. */
    private void remove(StatefulRedisConnection<byte[], byte[]> server, List<byte[]> found) {
        List<byte[]> records = found.stream().filter(keys::isRecord).toList();
        List<byte[]> buckets = found.stream().filter(keys::isBucket).toList();
        long entries = entries(server, buckets);
        unlink(server, records, 1);
        unlink(server, buckets, 0);
        removed += entries;
    }

    private long entries(StatefulRedisConnection<byte[], byte[]> server, List<byte[]> buckets) {
        List<AsyncCommand<byte[], byte[], Long>> commands = buckets.stream()
                .map(bucket -> Commands.newCommand(
                        CommandType.HLEN,
                        new IntegerOutput<>(ByteArrayCodec.INSTANCE),
                        Commands.args().addKey(bucket)))
                .toList();
        walk.send(server, commands);
        return commands.stream().mapToLong(walk::await).sum();
    }

    private void unlink(StatefulRedisConnection<byte[], byte[]> server, List<byte[]> found, int recordsPerKey) {
        Map<Integer, CommandArgs<byte[], byte[]>> bySlot = new HashMap<>();
        for (byte[] key : found) {
            // A cluster's node takes several keys at once only when they are in the same slot.
            bySlot.computeIfAbsent(links.main().isCluster() ? SlotHash.getSlot(key) : 0, slot -> Commands.args())
                    .addKey(key);
        }
        List<AsyncCommand<byte[], byte[], Long>> commands = new ArrayList<>(bySlot.size());
        for (CommandArgs<byte[], byte[]> args : bySlot.values()) {
            commands.add(Commands.newCommand(CommandType.UNLINK, new IntegerOutput<>(ByteArrayCodec.INSTANCE), args));
        }
        walk.send(server, commands);
        commands.forEach(command -> removed += recordsPerKey * walk.await(command));
    }
}
