package io.dedup.store.redis;

import io.dedup.testkit.DedupStoreContract;
import io.dedup.testkit.fixture.StoreFixture;
import io.dedup.testservers.redis.RedisServer;
import io.dedup.testservers.redis.RedisServers;
import io.lettuce.core.RedisURI;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;

@DisplayName("Valkey, standalone, protocol RESP3, a user with the least rights")
class ValkeyContractTest extends DedupStoreContract {
    private static RedisServer servers;
    private static RedisURI uri;

    @BeforeAll
    static void start() {
        servers = RedisServers.builder().binary(NewRedis.valkeyOrSkip()).start();
        uri = LeastRights.grant(servers, "contract-*", LeastRights.all());
    }

    @AfterAll
    static void stop() {
        if (servers != null) {
            servers.close();
        }
    }

    @Override
    protected StoreFixture newFixture() {
        return new RedisFixture(() -> Stores.builder().uri(uri), () -> List.of(servers));
    }
}
