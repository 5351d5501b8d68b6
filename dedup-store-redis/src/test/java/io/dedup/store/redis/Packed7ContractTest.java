package io.dedup.store.redis;

import io.dedup.testkit.DedupStoreContract;
import io.dedup.testkit.fixture.StoreFixture;
import io.dedup.testservers.redis.RedisServer;
import io.dedup.testservers.redis.RedisServers;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Runs with {@code -Ddedup.test.contracts=all}: what differs from {@link Packed62ContractTest} has tests of its own. */
@EnabledIfSystemProperty(named = "dedup.test.contracts", matches = "all")
@DisplayName("Redis 7, standalone, packed")
class Packed7ContractTest extends DedupStoreContract {
    private static RedisServer servers;

    @BeforeAll
    static void start() {
        servers = RedisServers.builder().binary(NewRedis.orSkip()).start();
    }

    @AfterAll
    static void stop() {
        if (servers != null) {
            servers.close();
        }
    }

    @Override
    protected StoreFixture newFixture() {
        return new RedisFixture(() -> Stores.builder().packed(1_000).uri(servers.uri()), () -> List.of(servers))
                .packed();
    }
}
