package io.dedup.store.redis;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.store.redis.internal.check.NamespaceGuard;
import io.dedup.store.redis.internal.check.PackedGuard;
import io.dedup.store.redis.internal.check.RetentionGuard;
import io.dedup.store.redis.internal.check.ServerCheck;
import io.dedup.store.redis.internal.client.RedisConnector;
import io.dedup.store.redis.internal.client.RedisLinks;
import io.dedup.store.redis.internal.connection.CommandExchange;
import io.dedup.store.redis.internal.connection.RedisErrors;
import io.dedup.store.redis.internal.operator.NamespaceOperations;
import io.dedup.store.redis.internal.packed.Buckets;
import io.dedup.store.redis.internal.packed.OvergrownBuckets;
import io.dedup.store.redis.internal.packed.PackedSettings;
import io.dedup.store.redis.internal.record.NativeClaim;
import io.dedup.store.redis.internal.record.RecordKeys;
import io.dedup.store.redis.internal.record.RecordOperations;
import io.dedup.store.redis.internal.record.ScriptCalls;
import io.dedup.store.redis.internal.record.Scripts;
import io.dedup.store.redis.internal.script.ScriptRunner;
import io.dedup.store.redis.internal.server.ServerFacts;

/** Connects, checks the servers, and creates a store from its parts. */
final class StoreAssembly {
    private static final DedupKey NO_RECORD = DedupScope.of("dedup", "start").key("-");

    private StoreAssembly() {}

    /** Opens a store. If it throws, no connection stays open. */
    static RedisDedupStore open(RedisConnector connector, RedisSettings settings) {
        RedisLinks links;
        try {
            links = connector.open();
        } catch (RuntimeException e) {
            throw new RedisErrors(connector.where(), settings.commandTimeout()).failed("start", e);
        }
        try {
            return assemble(links, settings);
        } catch (RuntimeException | LinkageError e) {
            links.closeAfter(e);
            throw e;
        }
    }

    /** Creates a store. If it throws, the connections stay open. */
    static RedisDedupStore assemble(RedisLinks links, RedisSettings settings) {
        RedisErrors errors = new RedisErrors(links.where(), settings.commandTimeout());
        CommandExchange exchange = new CommandExchange(errors, settings.commandTimeout());
        RecordKeys keys = new RecordKeys(settings.namespace());
        ServerCheck start = new ServerCheck(exchange, errors);
        boolean isRedis7 = start.inspect(links.masters(), links.main().isCluster()) >= ServerFacts.V7_0;
        RetentionGuard retention = new RetentionGuard(exchange, errors, keys, settings.attemptRetention());
        PackedSettings packed = settings.packing().reads() ? PackedSettings.of(settings.expectedIds()) : null;
        NamespaceGuard guard = new NamespaceGuard(
                links.main(), retention, new PackedGuard(exchange, errors, keys), packed, settings.packing());
        guard.checkStart("start");
        Buckets buckets = packed == null ? null : new Buckets(settings.namespace(), packed);
        OvergrownBuckets overgrown = new OvergrownBuckets(links.where(), settings.expectedIds());
        ScriptCalls calls = new ScriptCalls(
                Scripts.load(isRedis7, settings.packing(), packed == null ? 0 : packed.bucketsPerSlot()),
                keys,
                buckets,
                settings.packing(),
                overgrown,
                settings.attemptRetention(),
                errors);
        boolean claimsNatively =
                isRedis7 && buckets == null && !settings.confirmation().isWanted();
        RecordOperations records = new RecordOperations(
                links.main(),
                links.heartbeat(),
                new ScriptRunner(exchange, errors, () -> guard.check("restart")),
                calls,
                claimsNatively ? new NativeClaim(keys, calls, exchange) : null,
                settings.maxBatch(),
                settings.confirmation());
        var unused = records.find(NO_RECORD); // fails now if the server has no scripts, or denies them
        return new RedisDedupStore(
                links,
                records,
                new NamespaceOperations(links, exchange, errors, keys, records, settings.confirmation()),
                guard,
                settings.packing().reads(),
                overgrown,
                settings.attemptRetention(),
                start.warnings());
    }
}
