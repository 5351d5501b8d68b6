package io.dedup.store.redis.internal.operator;

import io.dedup.LiveLease;
import io.dedup.privacy.Erasure;
import io.dedup.store.operator.StuckQuery;
import io.dedup.store.operator.StuckRecords;
import io.dedup.store.redis.internal.client.RedisLinks;
import io.dedup.store.redis.internal.connection.CommandExchange;
import io.dedup.store.redis.internal.connection.RedisErrors;
import io.dedup.store.redis.internal.record.RecordKeys;
import io.dedup.store.redis.internal.record.RecordOperations;
import io.dedup.store.redis.internal.script.ReplicaConfirmation;
import java.time.Duration;

/** Operators' commands on all records of a namespace. */
public final class NamespaceOperations {
    private final RedisLinks links;
    private final CommandExchange exchange;
    private final RedisErrors errors;
    private final RecordKeys keys;
    private final RecordOperations records;
    private final ReplicaConfirmation confirmation;

    public NamespaceOperations(
            RedisLinks links,
            CommandExchange exchange,
            RedisErrors errors,
            RecordKeys keys,
            RecordOperations records,
            ReplicaConfirmation confirmation) {
        this.links = links;
        this.exchange = exchange;
        this.errors = errors;
        this.keys = keys;
        this.records = records;
        this.confirmation = confirmation;
    }

    /** @param limit how long it may take; after that it returns what it has */
    public StuckRecords findStuck(StuckQuery query, Duration limit) {
        return new StuckScan(links, exchange, errors, keys, records, limit, query).run();
    }

    public Erasure erase(String storedId, LiveLease liveLease) {
        return new Eraser(links, exchange, errors, keys, records, confirmation, storedId, liveLease).run();
    }

    /** @return how many records it has removed */
    public long forgetAll() {
        return new ForgetAll(links, exchange, errors, keys, confirmation).run();
    }
}
