package io.dedup.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupStoreException;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.testservers.redis.RedisBinary;
import io.dedup.testservers.redis.RedisSentinels;
import io.dedup.testservers.redis.RedisServer;
import io.dedup.testservers.redis.RedisServers;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Records that were forgotten don't come back from a replica, nor stay on another master. */
class ForgetAllReplicasTest {
    private final Messages messages = new Messages();
    private final List<ClaimRequest> claims = messages.claims(2_500);
    private RedisSentinels servers;
    private RedisDedupStore store;

    @BeforeEach
    void start() {
        servers = RedisServers.startSentinels(RedisBinary.embedded());
        store = Stores.builder().uri(Sentinels.uri(servers)).build();
        assertThat(store.claim(claims))
                .allSatisfy(answer -> assertThat(answer).isInstanceOf(ClaimResult.Acquired.class));
    }

    @AfterEach
    void stop() {
        store.close();
        servers.close();
    }

    @Test
    @DisplayName("a replica that takes over afterwards has forgotten as well, and is itself made to forget")
    void promotedAfterwards() {
        assertThat(store.forgetAll()).isEqualTo(2_500);
        assertThat(servers.replica().command("DBSIZE")).as("the retention").isEqualTo("1");

        int port = servers.masterPort();
        servers.master().kill();
        await().until(() -> servers.masterPort() != port);
        await().ignoreExceptionsInstanceOf(DedupStoreException.class)
                .atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(store.find(claims.get(0).key())).isEmpty());
        Messages.done(store, messages.key());

        assertThat(store.forgetAll()).isEqualTo(1);
        assertThat(servers.replica().command("DBSIZE")).isEqualTo("1");
    }

    @Test
    @DisplayName("a replica that lags is an error: it would have the records back after a failover")
    void laggingReplica() {
        servers.replica().pause();
        try {
            assertThatThrownBy(store::forgetAll)
                    .isInstanceOf(DedupStoreException.class)
                    .hasMessageContaining("0 of 1 required replicas")
                    .hasMessageContaining("Removed 2500 records")
                    .hasMessageContaining("Repeat the call");
            assertThatThrownBy(store::forgetAll)
                    .as("again, with nothing left to write")
                    .isInstanceOf(DedupStoreException.class)
                    .hasMessageContaining("0 of 1 required replicas");
        } finally {
            servers.replica().resume();
        }
        await().ignoreExceptionsInstanceOf(DedupStoreException.class).until(() -> store.forgetAll() == 0);
        assertThat(servers.replica().command("DBSIZE")).isEqualTo("1");
    }

    @Test
    @DisplayName("a master that became a replica is an error")
    void demoted() {
        try (RedisDedupStore direct =
                Stores.builder().uri(servers.master().uri()).build()) {
            servers.master().command("REPLICAOF", "127.0.0.1", "1");

            assertThatThrownBy(direct::forgetAll)
                    .isInstanceOf(DedupStoreException.class)
                    .hasMessageContaining("not a master")
                    .hasMessageContaining("Removed 0 records");
        }
    }

    @Test
    @DisplayName("a master that the sentinels have replaced without its knowledge isn't taken for the one")
    void cutOff() {
        RedisServer successor = servers.replica();
        successor.command("REPLICAOF", "NO", "ONE");
        for (RedisServer sentinel : servers.sentinels()) {
            sentinel.command("SENTINEL", "REMOVE", servers.masterName());
            sentinel.command(
                    "SENTINEL",
                    "MONITOR",
                    servers.masterName(),
                    successor.host(),
                    Integer.toString(successor.port()),
                    "2");
        }

        assertThatThrownBy(store::forgetAll)
                .isInstanceOf(DedupStoreException.class)
                .hasMessageContaining("another server");
    }
}
