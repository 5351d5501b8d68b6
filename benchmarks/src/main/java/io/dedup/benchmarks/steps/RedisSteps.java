package io.dedup.benchmarks.steps;

import io.dedup.benchmarks.network.Network;
import io.dedup.benchmarks.redis.RedisUnderTest;
import io.dedup.store.DedupStore;
import io.dedup.testservers.redis.RedisBinary;
import io.lettuce.core.SetArgs;
import java.nio.charset.StandardCharsets;

/** Steps on Redis; by hand a {@code SET} with a time to live for each. */
public final class RedisSteps implements StepSubject {
    private static final SetArgs WEEK = SetArgs.Builder.ex(604_800);

    private final RedisUnderTest redis;

    public RedisSteps(RedisBinary binary, Network network) {
        this.redis = RedisUnderTest.start(binary, network);
    }

    @Override
    public String name() {
        return redis.name();
    }

    @Override
    public DedupStore store() {
        return redis.store();
    }

    @Override
    public void keepByHand(String messageId, byte[] result) {
        String unused =
                redis.connection().sync().set(("step:" + messageId).getBytes(StandardCharsets.UTF_8), result, WEEK);
    }

    @Override
    public void close() {
        redis.close();
    }
}
