package io.dedup.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupKey;
import io.dedup.DedupStoreException;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.WriteResult;
import io.dedup.testservers.redis.RedisBinary;
import io.dedup.testservers.redis.RedisSentinels;
import io.dedup.testservers.redis.RedisServers;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A master, its replica, and the sentinels that know which is which. */
class ReplicaSetTest {
    private final Messages messages = new Messages();
    private RedisSentinels servers;

    @BeforeEach
    void start() {
        servers = RedisServers.startSentinels(RedisBinary.embedded());
    }

    @AfterEach
    void stop() {
        servers.close();
    }

    private RedisDedupStoreBuilder builder() {
        return Stores.builder().uri(Sentinels.uri(servers));
    }

    @Test
    @DisplayName("D2 after a failover the new master is used, with what was replicated to it")
    void failover() {
        try (RedisDedupStore store =
                builder().waitForReplicas(1, Duration.ofSeconds(1)).build()) {
            DedupKey done = messages.key();
            Messages.done(store, done);
            ClaimRequest held = Messages.acquire(store, messages.key());
            int port = servers.masterPort();
            servers.master().kill();
            await().until(() -> servers.masterPort() != port);
            // The new master has no replica any more, so that nothing can be confirmed; reading goes on.
            await().ignoreExceptionsInstanceOf(DedupStoreException.class)
                    .atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(store.find(done)).isPresent());
            // Renewals have a connection of their own, which finds the new master by itself.
            await().until(
                            () -> store.renew(List.of(Messages.renew(held))).get(0),
                            answer -> !(answer instanceof WriteResult.StoreError));
            assertThat(store.renew(List.of(Messages.renew(held)))).containsExactly(WriteResult.applied());
            assertThatThrownBy(() -> Messages.only(store.complete(List.of(Messages.complete(held)))))
                    .hasMessageContaining("waitForReplicas");
        }
        try (RedisDedupStore store = builder().build()) {
            Messages.done(store, messages.key());
        }
    }

    @Test
    @DisplayName("D2 where a replica doesn't confirm, a claim fails, although it was applied and is recognized later")
    void unconfirmed() {
        try (RedisDedupStore store =
                builder().waitForReplicas(1, Duration.ofSeconds(1)).build()) {
            Messages.done(store, messages.key());
            servers.replica().pause();
            ClaimRequest request = Messages.claim(messages.key());
            List<ClaimRequest> batch = messages.claims(3);
            try {
                assertThatThrownBy(() -> Messages.only(store.claim(List.of(request))))
                        .isInstanceOf(DedupStoreException.class)
                        .hasMessageContaining("of 1 required replicas")
                        .hasMessageContaining("waitForReplicas");
                assertThat(store.claim(batch))
                        .allSatisfy(answer -> assertThat(answer).isInstanceOf(ClaimResult.StoreError.class));
                assertThat(store.renew(List.of(Messages.renew(request))))
                        .as("on a connection of its own, without waiting for replicas")
                        .containsExactly(WriteResult.applied());
            } finally {
                servers.replica().resume();
            }
            await().ignoreExceptionsInstanceOf(DedupStoreException.class)
                    .untilAsserted(() -> assertThat(Messages.only(store.claim(List.of(request))))
                            .isInstanceOfSatisfying(
                                    ClaimResult.Acquired.class,
                                    acquired -> assertThat(acquired.attempt()).isEqualTo(1)));
        }
    }

    @Test
    @DisplayName("D2 where nothing was written, the error names the reason, and not the replicas")
    void notWritten() {
        try (RedisDedupStore store = Stores.builder()
                .uri(servers.master().uri())
                .waitForReplicas(1, Duration.ofSeconds(1))
                .build()) {
            Messages.done(store, messages.key());
            servers.master().command("CONFIG", "SET", "maxmemory", "1");
            assertThatThrownBy(() -> Messages.only(store.claim(List.of(Messages.claim(messages.key())))))
                    .isInstanceOf(DedupStoreException.class)
                    .hasMessageContaining("OOM")
                    .hasMessageNotContaining("waitForReplicas");

            servers.master().kill();
            await().untilAsserted(() -> assertThatThrownBy(
                            () -> Messages.only(store.claim(List.of(Messages.claim(messages.key())))))
                    .isInstanceOf(DedupStoreException.class)
                    .hasMessageContaining("Check that the server is running")
                    .hasMessageNotContaining("waitForReplicas"));
        }
    }

    @Test
    @DisplayName("a replica is refused at start")
    void replica() {
        assertThatThrownBy(() -> Stores.builder().uri(servers.replica().uri()).build())
                .isInstanceOf(DedupStoreException.class)
                .hasMessageContaining("replica")
                .hasMessageContaining("uri");
    }

    @Test
    @DisplayName("a master that became a replica refuses writes, and the error says so")
    void demoted() {
        try (RedisDedupStore store = Stores.builder()
                .uri(
                        servers.replica().uri().equals(servers.master().uri())
                                ? ""
                                : servers.master().uri())
                .build()) {
            servers.master().command("REPLICAOF", "127.0.0.1", "1");
            assertThatThrownBy(() -> Messages.only(store.claim(List.of(Messages.claim(messages.key())))))
                    .isInstanceOf(DedupStoreException.class)
                    .hasMessageContaining("replica");
        }
    }

    @Test
    @DisplayName("sentinels that are all down are an error at start, which names them")
    void sentinelsDown() {
        servers.sentinels().forEach(sentinel -> sentinel.stop());
        assertThatThrownBy(() -> builder().build())
                .isInstanceOf(DedupStoreException.class)
                .hasMessageContaining("main of sentinels 127.0.0.1:"
                        + servers.sentinels().get(0).port());
    }
}
