package io.dedup.store.redis.internal.operator;

import io.dedup.DedupStoreException;
import io.dedup.LiveLease;
import io.dedup.privacy.Erasure;
import io.dedup.store.redis.internal.client.RedisLinks;
import io.dedup.store.redis.internal.connection.CommandExchange;
import io.dedup.store.redis.internal.connection.RedisErrors;
import io.dedup.store.redis.internal.record.RecordKeys;
import io.dedup.store.redis.internal.record.RecordOperations;
import io.dedup.store.redis.internal.script.ReplicaConfirmation;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Deletes the records of a message ID in all scopes; for one call. A key begins with its scope, so all keys are scanned. */
final class Eraser {
    private static final String OPERATION = "erase";

    private final RedisErrors errors;
    private final RecordKeys keys;
    private final RecordOperations records;
    private final NamespaceWalk walk;
    private final String storedId;
    private final LiveLease liveLease;
    private final Set<String> liveScopes = new LinkedHashSet<>();
    private long erased;

    Eraser(
            RedisLinks links,
            CommandExchange exchange,
            RedisErrors errors,
            RecordKeys keys,
            RecordOperations records,
            ReplicaConfirmation confirmation,
            String storedId,
            LiveLease liveLease) {
        this.errors = errors;
        this.keys = keys;
        this.records = records;
        this.storedId = storedId;
        this.liveLease = liveLease;
        KeyPages pages = new KeyPages(keys.allRecords(), (":" + storedId).getBytes(StandardCharsets.UTF_8));
        this.walk = new NamespaceWalk(OPERATION, links, exchange, errors, confirmation, pages);
    }

    Erasure run() {
        try {
            walk.run((server, page) -> erase(page));
            return new Erasure(erased, List.copyOf(liveScopes));
        } catch (RuntimeException e) {
            DedupStoreException failure = errors.failed(OPERATION, e);
            throw new DedupStoreException(
                    failure.getMessage() + ". Erased " + erased + " records; others may be left. Repeat the call",
                    failure);
        }
    }

    private void erase(List<byte[]> page) {
        for (byte[] key : page) {
            RecordKeys.Stored stored = keys.parse(key);
            if (stored == null || !stored.messageId().equals(storedId)) {
                continue; // another ID ends like this one
            }
            switch (records.forgetStored(key, liveLease)) {
                case APPLIED -> erased++;
                case LEASE_LIVE -> liveScopes.add(stored.scope());
                case ABSENT -> {
                    // Expired meanwhile, or on the previous page, too.
                }
            }
        }
    }
}
