package io.dedup.benchmarks.redis;

import static java.util.Objects.requireNonNull;

import io.dedup.benchmarks.measure.Spread;
import io.dedup.benchmarks.measure.Traffic;
import io.dedup.benchmarks.network.Network;
import io.dedup.benchmarks.subject.IdSlots.Slot;
import io.dedup.benchmarks.subject.StoreRequests;
import io.dedup.store.ClaimResult;
import io.dedup.store.Owner;
import io.dedup.store.WriteResult;
import io.dedup.testservers.redis.RedisBinary;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.ArrayList;
import java.util.List;

/** The memory of a DONE record without a result, as the server reports it. */
public final class RedisMemory {
    private static final int KEYS = 50_000;
    private static final int BATCH = 500;

    private RedisMemory() {}

    /**
     * One server's figures.
     *
     * @param keyLength the characters of a key
     * @param single {@code MEMORY USAGE} of records that were written by the single form
     * @param batch the same of the batch form
     * @param everything the growth of the server's whole memory for each record, including its tables of keys and expiries
     */
    public record Figures(String server, int keyLength, Spread single, Spread batch, double everything) {}

    public static Figures measure(RedisBinary binary) {
        try (RedisUnderTest redis = RedisUnderTest.start(binary, Network.LOOPBACK)) {
            RedisCommands<byte[], byte[]> commands = redis.connection().sync();
            Traffic traffic = new StoreRequests().newTraffic(redis.store(), BATCH);
            List<String> singles = newIds(traffic);
            singles.forEach(id -> process(redis, id));
            Slot key = RedisKeys.of(commands, singles.get(0));
            long before = usedMemory(commands);
            List<String> batches = newIds(traffic);
            for (int from = 0; from < batches.size(); from += BATCH) {
                StoreRequests.process(redis.store(), batches.subList(from, Math.min(batches.size(), from + BATCH)));
            }
            double everything = (double) (usedMemory(commands) - before) / batches.size();
            return new Figures(
                    redis.name(),
                    key.captured().length,
                    usage(commands, key, singles),
                    usage(commands, key, batches),
                    everything);
        }
    }

    private static List<String> newIds(Traffic traffic) {
        List<String> ids = new ArrayList<>();
        while (ids.size() < KEYS) {
            ids.addAll(traffic.next().fresh());
        }
        return ids;
    }

    private static void process(RedisUnderTest redis, String id) {
        Owner owner = StoreRequests.newOwner();
        ClaimResult claimed = redis.store()
                .claim(List.of(StoreRequests.claim(id, owner, true)))
                .get(0);
        WriteResult completed = redis.store()
                .complete(List.of(StoreRequests.completion(id, owner)))
                .get(0);
        if (!(claimed instanceof ClaimResult.Acquired) || !completed.isApplied()) {
            throw new IllegalStateException("a new message is answered with " + claimed + ", then " + completed);
        }
    }

    private static Spread usage(RedisCommands<byte[], byte[]> commands, Slot key, List<String> ids) {
        return Spread.of(ids.stream().mapToDouble(id -> requireNonNull(commands.memoryUsage(key.bytes(List.of(id))))));
    }

    private static long usedMemory(RedisCommands<byte[], byte[]> commands) {
        return commands.info("memory")
                .lines()
                .filter(line -> line.startsWith("used_memory:"))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1)))
                .findFirst()
                .orElseThrow();
    }
}
