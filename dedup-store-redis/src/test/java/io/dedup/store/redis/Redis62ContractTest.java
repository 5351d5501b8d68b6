package io.dedup.store.redis;

import io.dedup.testkit.DedupStoreContract;
import io.dedup.testkit.fixture.StoreFixture;
import io.dedup.testservers.redis.RedisServer;
import io.dedup.testservers.redis.RedisServers;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.protocol.ProtocolVersion;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;

@DisplayName("Redis 6.2, standalone, protocol RESP2, a user with the least rights")
class Redis62ContractTest extends DedupStoreContract {
    private static RedisServer servers;
    private static RedisClient client;
    private static RedisURI uri;

    @BeforeAll
    static void start() {
        servers = RedisServers.start();
        client = LeastRights.client(ProtocolVersion.RESP2);
        uri = LeastRights.grant(servers, "contract-*", LeastRights.all());
    }

    @AfterAll
    static void stop() {
        if (servers != null) {
            client.shutdown();
            servers.close();
        }
    }

    @Override
    protected StoreFixture newFixture() {
        return new RedisFixture(() -> Stores.builder().client(client, uri), () -> List.of(servers));
    }
}
