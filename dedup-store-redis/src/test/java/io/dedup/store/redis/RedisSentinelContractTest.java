package io.dedup.store.redis;

import io.dedup.testkit.DedupStoreContract;
import io.dedup.testkit.fixture.StoreFixture;
import io.dedup.testservers.redis.RedisBinary;
import io.dedup.testservers.redis.RedisSentinels;
import io.dedup.testservers.redis.RedisServers;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Runs with {@code -Ddedup.test.contracts=all}: what differs from {@link Redis62ContractTest} has tests of its own, such
 * as {@link ReplicaSetTest}.
 */
@EnabledIfSystemProperty(
        named = "dedup.test.contracts",
        matches = "all",
        disabledReason = "takes a minute: -Ddedup.test.contracts=all runs it")
@DisplayName("Redis 6.2, replicated, found through sentinels")
class RedisSentinelContractTest extends DedupStoreContract {
    private static RedisSentinels servers;

    @BeforeAll
    static void start() {
        servers = RedisServers.startSentinels(RedisBinary.embedded());
    }

    @AfterAll
    static void stop() {
        if (servers != null) {
            servers.close();
        }
    }

    @Override
    protected StoreFixture newFixture() {
        return new RedisFixture(() -> Stores.builder().uri(Sentinels.uri(servers)), () -> List.of(servers.master()));
    }
}
