package io.dedup.store.redis;

import io.dedup.store.DedupStore;
import io.dedup.testkit.fixture.StoreFixture;
import io.dedup.testservers.redis.RedisServer;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;

/** Two stores on a namespace of their own, and a script that ages their records. */
final class RedisFixture implements StoreFixture {
    private static final String AGE = resource("age.lua");

    private final Supplier<List<RedisServer>> masters;
    private final String namespace = "contract-" + UUID.randomUUID();
    private final RedisDedupStore store;
    private final RedisDedupStore secondInstance;
    private boolean erases = true;

    /**
     * @param newStore knows where the servers are
     * @param masters the servers that hold records, at the time of asking
     */
    RedisFixture(Supplier<RedisDedupStoreBuilder> newStore, Supplier<List<RedisServer>> masters) {
        this(newStore, newStore, masters);
    }

    /**
     * @param newStore knows where the servers are
     * @param newSecond the same, of a store with other settings
     * @param masters the servers that hold records, at the time of asking
     */
    RedisFixture(
            Supplier<RedisDedupStoreBuilder> newStore,
            Supplier<RedisDedupStoreBuilder> newSecond,
            Supplier<List<RedisServer>> masters) {
        this.masters = masters;
        this.store = newStore.get().namespace(namespace).build();
        this.secondInstance = newSecond.get().namespace(namespace).build();
    }

    /** Of packed records, which cannot be erased in all scopes. */
    RedisFixture packed() {
        erases = false;
        return this;
    }

    @Override
    public DedupStore store() {
        return store;
    }

    @Override
    public DedupStore secondInstance() {
        return secondInstance;
    }

    @Override
    public boolean erases() {
        return erases;
    }

    @Override
    public void advance(Duration by) {
        for (RedisServer master : masters.get()) {
            master.command("EVAL", AGE, "0", namespace, namespace + "{*", Long.toString(by.toMillis()));
        }
    }

    @Override
    public void close() {
        store.close();
        secondInstance.close();
    }

    private static String resource(String name) {
        try (InputStream in = RedisFixture.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (Exception e) {
            throw new IllegalStateException(name, e);
        }
    }
}
