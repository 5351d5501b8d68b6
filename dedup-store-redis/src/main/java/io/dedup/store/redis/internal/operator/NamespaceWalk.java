package io.dedup.store.redis.internal.operator;

import io.dedup.store.redis.internal.client.RedisLinks;
import io.dedup.store.redis.internal.connection.CommandExchange;
import io.dedup.store.redis.internal.connection.RedisErrors;
import io.dedup.store.redis.internal.script.ReplicaConfirmation;
import io.dedup.store.redis.internal.server.MasterFacts;
import io.dedup.store.redis.internal.server.RecordServers;
import io.dedup.store.redis.internal.server.ServerQueries;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.protocol.AsyncCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Hands every key of a namespace to an operation that deletes records, page by page; for one call.
 *
 * <p>A record that stays is one that the operator believes to be gone. Therefore, this succeeds only if it is certain to have seen
 * all keys. The position of a page is valid for one process of one server only, so a restart or a failover meanwhile is an
 * error. Replicas must have received all deletions, or a failover would restore the records.
 */
final class NamespaceWalk {
    private static final long REPLICAS_NANOS = TimeUnit.SECONDS.toNanos(10); // they confirm every second

    private final String operation;
    private final RedisLinks links;
    private final CommandExchange exchange;
    private final RedisErrors errors;
    private final ServerQueries queries;
    private final ReplicaConfirmation confirmation;
    private final KeyPages pages;

    NamespaceWalk(
            String operation,
            RedisLinks links,
            CommandExchange exchange,
            RedisErrors errors,
            ReplicaConfirmation confirmation,
            KeyPages pages) {
        this.operation = operation;
        this.links = links;
        this.exchange = exchange;
        this.errors = errors;
        this.queries = new ServerQueries(exchange, errors, operation);
        this.confirmation = confirmation;
        this.pages = pages;
    }

    /** Handles the keys of a page. */
    interface Work {
        void on(StatefulRedisConnection<byte[], byte[]> server, List<byte[]> keys);
    }

    /** @throws io.dedup.DedupStoreException if it may not have seen all keys, or a replica may not have what was done */
    void run(Work work) {
        try (RecordServers.Snapshot before = links.servers().find(queries)) {
            for (StatefulRedisConnection<byte[], byte[]> server : before.servers()) {
                sweep(server, work);
                awaitReplicas(server);
            }
            try (RecordServers.Snapshot after = links.servers().find(queries)) {
                if (!after.layout().equals(before.layout())) {
                    throw queries.unclear("slots moved between servers during the scan");
                }
            }
        }
    }

    private void sweep(StatefulRedisConnection<byte[], byte[]> server, Work work) {
        String runId = queries.master(server).runId();
        String cursor = KeyPages.START;
        do {
            String position = cursor;
            KeyScanCursor<byte[]> page = queries.ask(() -> scan(server, runId, position));
            work.on(server, pages.keysOf(page));
            cursor = page.getCursor();
        } while (!cursor.equals(KeyPages.START));
    }

    /** Reads the page at a position of one process of a server; the same one again after its connection broke. */
    private KeyScanCursor<byte[]> scan(StatefulRedisConnection<byte[], byte[]> server, String runId, String position) {
        AsyncCommand<byte[], byte[], KeyScanCursor<byte[]>> scan = pages.newScan(position);
        AsyncCommand<byte[], byte[], String> info = queries.newInfo();
        send(server, List.of(scan, info));
        KeyScanCursor<byte[]> page = await(scan);
        if (!queries.requireMaster(await(info)).runId().equals(runId)) {
            throw queries.unclear("a server was restarted or replaced during the scan");
        }
        return page;
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
                        operation, replicasNeeded(facts), Integer.toString(facts.replicasAt(offset)), null);
            }
            queries.pause();
            facts = queries.master(server);
        }
    }

    private int replicasNeeded(MasterFacts facts) {
        return Math.max(confirmation.replicas(), facts.replicaOffsets().size());
    }

    void send(StatefulRedisConnection<byte[], byte[]> server, List<? extends AsyncCommand<byte[], byte[], ?>> all) {
        exchange.refuseIfInterrupted(operation);
        server.dispatch(new ArrayList<>(all));
    }

    <T> T await(AsyncCommand<byte[], byte[], T> command) {
        try {
            return Objects.requireNonNull(exchange.answer(operation, command, exchange.deadline()));
        } catch (Exception e) {
            throw errors.failed(operation, e);
        }
    }
}
