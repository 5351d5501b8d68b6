package io.dedup.benchmarks.redis;

import static java.util.Objects.requireNonNull;

import io.dedup.benchmarks.measure.Ids;
import io.dedup.benchmarks.network.Network;
import io.dedup.benchmarks.subject.IdSlots.Slot;
import io.dedup.benchmarks.subject.PrefilledStore;
import io.dedup.benchmarks.subject.StoreRequests;
import io.dedup.store.DedupStore;
import io.dedup.testservers.redis.RedisBinary;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;

/** A Redis that is filled with copies of a record that the store wrote. */
public final class PrefilledRedis implements PrefilledStore {
    private final RedisUnderTest redis;
    private final RedisCommands<byte[], byte[]> commands;

    public PrefilledRedis(RedisBinary binary, Network network) {
        redis = RedisUnderTest.start(binary, network);
        commands = redis.connection().sync();
    }

    @Override
    public String name() {
        return redis.name();
    }

    @Override
    public DedupStore store() {
        return redis.store();
    }

    /** Where clients connect to, on this machine. */
    public int port() {
        return redis.route().port();
    }

    @Override
    public void fill(int size) {
        String first = Ids.text(0);
        StoreRequests.process(store(), List.of(first));
        Slot key = RedisKeys.of(commands, first);
        byte[] value = requireNonNull(commands.get(key.captured()));
        long timeToLive = requireNonNull(commands.pttl(key.captured()));
        new RedisFiller(redis.server().host(), redis.server().port())
                .fill(size, number -> key.bytes(List.of(Ids.text(number))), value, timeToLive);
    }

    /** All but what the namespace itself keeps, which a running store relies on. */
    @Override
    public void clear() {
        List<byte[]> records = commands.keys("*" + StoreRequests.SCOPE.text() + "*");
        commands.unlink(records.toArray(byte[][]::new));
    }

    @Override
    public void close() {
        redis.close();
    }
}
