package io.dedup.store.redis.internal.operator;

import io.dedup.DedupStoreException;
import io.dedup.store.redis.internal.client.RedisLinks;
import io.dedup.store.redis.internal.connection.CommandExchange;
import io.dedup.store.redis.internal.connection.Commands;
import io.dedup.store.redis.internal.connection.RedisErrors;
import io.dedup.store.redis.internal.record.RecordKeys;
import io.dedup.store.redis.internal.script.ReplicaConfirmation;
import io.dedup.store.redis.internal.server.MasterFacts;
import io.dedup.store.redis.internal.server.RecordServers;
import io.dedup.store.redis.internal.server.ServerQueries;
import io.lettuce.core.KeyScanCursor;
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
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Deletes every record of a namespace, page by page; for one call.
 *
 * <p>A record that stays would mark a message as done whose effect is gone. Therefore, this succeeds only if it is
 * certain to have seen all records. The position of a page is valid for one process of one server only, so a restart or
 * a failover meanwhile is an error. Replicas must have received all deletions, or a failover would restore the records.
 */
final class ForgetAll {
    private static final String OPERATION = "forgetAll";
    private static final long REPLICAS_NANOS = TimeUnit.SECONDS.toNanos(10); // they confirm every second
    private static final long REPLICAS_POLL_MILLIS = 50;

    private final RedisLinks links;
    private final CommandExchange exchange;
    private final RedisErrors errors;
    private final ServerQueries queries;
    private final ReplicaConfirmation confirmation;
    private final KeyPages pages;
    private long removed;

    ForgetAll(
            RedisLinks links,
            CommandExchange exchange,
            RedisErrors errors,
            RecordKeys keys,
            ReplicaConfirmation confirmation) {
        this.links = links;
        this.exchange = exchange;
        this.errors = errors;
        this.queries = new ServerQueries(exchange, errors, OPERATION);
        this.confirmation = confirmation;
        this.pages = new KeyPages(keys.allRecords());
    }

    /**
     * Deletes the records.
     *
     * @return the number of deleted records
     */
    long run() {
        try (RecordServers.Snapshot before = links.servers().find(queries)) {
            for (StatefulRedisConnection<byte[], byte[]> server : before.servers()) {
                sweep(server);
                awaitReplicas(server);
            }
            try (RecordServers.Snapshot after = links.servers().find(queries)) {
                if (!after.layout().equals(before.layout())) {
                    throw queries.unclear("slots moved between servers during the scan");
                }
            }
            return removed;
        } catch (RuntimeException e) {
            DedupStoreException failure = errors.failed(OPERATION, e);
            throw new DedupStoreException(
                    failure.getMessage() + ". Removed " + removed
                            + " records; others may be left. Repeat the call before any consumer" + " starts",
                    failure);
        }
    }

    private void sweep(StatefulRedisConnection<byte[], byte[]> server) {
        String runId = queries.master(server).runId();
        String cursor = KeyPages.START;
        do {
            AsyncCommand<byte[], byte[], KeyScanCursor<byte[]>> scan = pages.newScan(cursor);
            AsyncCommand<byte[], byte[], String> info = queries.newInfo();
            send(server, List.of(scan, info));
            KeyScanCursor<byte[]> page = await(scan);
            if (!queries.requireMaster(await(info)).runId().equals(runId)) {
                throw queries.unclear("a server was restarted or replaced during the scan");
            }
            unlink(server, pages.keysOf(page));
            cursor = page.getCursor();
        } while (!cursor.equals(KeyPages.START));
    }

    private void unlink(StatefulRedisConnection<byte[], byte[]> server, List<byte[]> keys) {
        Map<Integer, CommandArgs<byte[], byte[]>> bySlot = new HashMap<>();
        for (byte[] key : keys) {
            // A cluster's node takes several keys at once only when they are in the same slot.
            bySlot.computeIfAbsent(links.main().isCluster() ? SlotHash.getSlot(key) : 0, slot -> Commands.args())
                    .addKey(key);
        }
        List<AsyncCommand<byte[], byte[], Long>> commands = new ArrayList<>(bySlot.size());
        for (CommandArgs<byte[], byte[]> args : bySlot.values()) {
            commands.add(Commands.newCommand(CommandType.UNLINK, new IntegerOutput<>(ByteArrayCodec.INSTANCE), args));
        }
        send(server, commands);
        commands.forEach(command -> removed += await(command));
    }

    /**
     * Waits until the replicas have received all deletions: a replica that lags would restore the records after a
     * failover.
     */
    private void awaitReplicas(StatefulRedisConnection<byte[], byte[]> server) {
        long until = System.nanoTime() + REPLICAS_NANOS;
        MasterFacts facts = queries.master(server);
        long offset = facts.offset();
        while (facts.replicasAt(offset) < replicasNeeded(facts)) {
            if (until - System.nanoTime() <= 0) {
                throw errors.unconfirmed(
                        OPERATION, replicasNeeded(facts), Integer.toString(facts.replicasAt(offset)), null);
            }
            pause();
            facts = queries.master(server);
        }
    }

    private int replicasNeeded(MasterFacts facts) {
        return Math.max(confirmation.replicas(), facts.replicaOffsets().size());
    }

    private void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(REPLICAS_POLL_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw errors.interrupted(OPERATION, e);
        }
    }

    private void send(
            StatefulRedisConnection<byte[], byte[]> server, List<? extends AsyncCommand<byte[], byte[], ?>> all) {
        exchange.refuseIfInterrupted(OPERATION);
        server.dispatch(new ArrayList<>(all));
    }

    private <T> T await(AsyncCommand<byte[], byte[], T> command) {
        try {
            return Objects.requireNonNull(exchange.answer(OPERATION, command, exchange.deadline()));
        } catch (Exception e) {
            throw errors.failed(OPERATION, e);
        }
    }
}
