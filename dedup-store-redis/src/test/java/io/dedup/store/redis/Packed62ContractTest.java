package io.dedup.store.redis;

import io.dedup.testkit.DedupStoreContract;
import io.dedup.testkit.fixture.StoreFixture;
import io.dedup.testservers.redis.RedisServer;
import io.dedup.testservers.redis.RedisServers;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;

/** The second instance only reads packed records, as while a namespace is switched. */
@DisplayName("Redis 6.2, standalone, packed")
class Packed62ContractTest extends DedupStoreContract {
    private static RedisServer servers;

    @BeforeAll
    static void start() {
        servers = RedisServers.start();
    }

    @AfterAll
    static void stop() {
        if (servers != null) {
            servers.close();
        }
    }

    @Override
    protected StoreFixture newFixture() {
        return new RedisFixture(
                        () -> Stores.builder().packed(1_000).uri(servers.uri()),
                        () -> Stores.builder().readPacked(1_000).uri(servers.uri()),
                        () -> List.of(servers))
                .packed();
    }
}
