package io.dedup.store.redis.internal.operator;

import io.dedup.store.StoredRecord;
import io.dedup.store.operator.StuckQuery;
import io.dedup.store.operator.StuckRecord;
import io.dedup.store.operator.StuckRecords;
import io.dedup.store.redis.internal.client.RedisLinks;
import io.dedup.store.redis.internal.connection.CommandExchange;
import io.dedup.store.redis.internal.connection.RedisErrors;
import io.dedup.store.redis.internal.connection.SingleLink;
import io.dedup.store.redis.internal.record.RecordKeys;
import io.dedup.store.redis.internal.record.RecordOperations;
import io.dedup.store.redis.internal.server.RecordServers;
import io.dedup.store.redis.internal.server.ServerQueries;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Lists unfinished records: scans the keys page by page, and reads their values with a script, a batch at a time; for
 * one call.
 *
 * <p>The result is marked as incomplete if there are more records than requested, the scan takes too long, or a server
 * was restarted or replaced meanwhile.
 */
final class StuckScan {
    private static final String OPERATION = "findStuck";

    private final RedisLinks links;
    private final CommandExchange exchange;
    private final RedisErrors errors;
    private final ServerQueries queries;
    private final RecordKeys keys;
    private final RecordOperations records;
    private final long until;
    private final StuckQuery query;
    private final KeyPages pages;
    private final Map<List<String>, StuckRecord> found = new LinkedHashMap<>();
    private boolean cut;

    StuckScan(
            RedisLinks links,
            CommandExchange exchange,
            RedisErrors errors,
            RecordKeys keys,
            RecordOperations records,
            Duration limit,
            StuckQuery query) {
        this.links = links;
        this.exchange = exchange;
        this.errors = errors;
        this.queries = new ServerQueries(exchange, errors, OPERATION);
        this.keys = keys;
        this.records = records;
        this.until = System.nanoTime() + limit.toNanos();
        this.query = query;
        this.pages = new KeyPages(query.scope() == null ? keys.allRecords() : keys.prefix(query.scope()));
    }

    StuckRecords run() {
        try (RecordServers.Snapshot before = links.servers().find(queries)) {
            for (StatefulRedisConnection<byte[], byte[]> server : before.servers()) {
                walk(server);
            }
            if (cut) {
                return new StuckRecords(List.copyOf(found.values()), false);
            }
            try (RecordServers.Snapshot after = links.servers().find(queries)) {
                boolean same = after.layout().equals(before.layout());
                return new StuckRecords(List.copyOf(found.values()), same);
            }
        } catch (RuntimeException e) {
            throw errors.failed(OPERATION, e);
        }
    }

    private void walk(StatefulRedisConnection<byte[], byte[]> server) {
        SingleLink link = new SingleLink(server);
        String cursor = KeyPages.START;
        do {
            if (cut || until - System.nanoTime() <= 0) {
                cut = true;
                return;
            }
            String from = cursor;
            KeyScanCursor<byte[]> page =
                    queries.ask(() -> Objects.requireNonNull(exchange.call(link, OPERATION, pages.newScan(from))));
            List<byte[]> onPage = pages.keysOf(page);
            records.stuckAmong(onPage, query.olderThan())
                    .forEach((position, record) -> add(keys.parse(onPage.get(position)), record));
            cursor = page.getCursor();
        } while (!cursor.equals(KeyPages.START));
    }

    /** Adds a record. A key may be on two pages, if the server resizes its hash table meanwhile. */
    private void add(RecordKeys.@Nullable Stored key, StoredRecord record) {
        if (key == null) {
            return; // in this namespace, but not written by this store
        }
        List<String> identity = List.of(key.scope(), key.messageId());
        if (found.size() == query.limit() && !found.containsKey(identity)) {
            cut = true;
            return;
        }
        found.put(identity, new StuckRecord(key.scope(), key.messageId(), record));
    }
}
