package io.dedup.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.DedupStoreException;
import io.dedup.LiveLease;
import io.dedup.policy.Window;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.Owner;
import io.dedup.store.StoredRecord;
import io.dedup.store.WriteResult;
import io.dedup.store.redis.RedisDedupStore;
import io.dedup.store.redis.RedisDedupStoreBuilder;
import io.dedup.testkit.faults.TcpProxy;
import io.dedup.testservers.redis.RedisBinary;
import io.dedup.testservers.redis.RedisCluster;
import io.dedup.testservers.redis.RedisServer;
import io.dedup.testservers.redis.RedisServers;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.LettuceVersion;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * What a broken connection leaves unanswered is not sent on the next one. Here rather than with the store, because this
 * test runs with the Lettuce of both versions of Spring Boot, and each decides otherwise what to send again.
 */
class RedisReconnectTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final DedupKey KEY = DedupScope.of("billing", "orders").key("order-1");
    private static final Claim CLAIM = new Claim(KEY, new Owner("first-owner"), 1);

    @Test
    @DisplayName("D4 a forget that was applied and lost its reply doesn't delete the record of the next copy")
    void forget() {
        try (RedisServer server = RedisServers.start();
                TcpProxy proxy = TcpProxy.to(server.port());
                RedisDedupStore store = store(proxy)) {
            claim(store, CLAIM.owner());
            assertThat(complete(store)).isEqualTo(WriteResult.applied());
            proxy.loseReplyTo(KEY.messageId());

            assertThatThrownBy(() -> store.forget(KEY, LiveLease.RESPECT)).isInstanceOf(DedupStoreException.class);

            assertThat(proxy.lostReplies()).isEqualTo(1);
            server.command("CONFIG", "RESETSTAT");
            awaitConnection(store);
            assertThat(server.command("INFO", "commandstats")).doesNotContain("cmdstat_eval");
            assertThat(store.find(KEY)).as("applied").isEmpty();
        }
    }

    @Test
    @DisplayName("D4 a completion that was applied and lost its reply fails, and doesn't say that its lease is lost")
    void completion() {
        try (RedisServer server = RedisServers.start();
                TcpProxy proxy = TcpProxy.to(server.port());
                RedisDedupStore store = store(proxy)) {
            claim(store, CLAIM.owner());
            proxy.loseReplyTo(KEY.messageId());

            assertThat(complete(store)).isInstanceOf(WriteResult.StoreError.class);

            assertThat(proxy.lostReplies()).isEqualTo(1);
            server.command("CONFIG", "RESETSTAT");
            awaitConnection(store);
            assertThat(server.command("INFO", "commandstats")).doesNotContain("cmdstat_eval");
            assertThat(store.find(KEY).orElseThrow().state()).as("applied").isEqualTo(StoredRecord.State.DONE);
        }
    }

    @Test
    @DisplayName("D2 a completion isn't confirmed by the replicas of another server than the one that has it")
    void confirmation() {
        try (RedisServer lost = RedisServers.start();
                RedisServer next = RedisServers.start();
                RedisServer replica = RedisServers.start();
                TcpProxy proxy = TcpProxy.to(lost.port());
                RedisDedupStore unconfirmed = store(proxy);
                RedisDedupStore store = RedisDedupStore.builder()
                        .uri("redis://127.0.0.1:" + proxy.port())
                        .commandTimeout(TIMEOUT)
                        .waitForReplicas(1, TIMEOUT.minusSeconds(1))
                        .build()) {
            replica.command("REPLICAOF", "127.0.0.1", Integer.toString(next.port()));
            await().atMost(TIMEOUT)
                    .until(() -> replica.command("INFO", "replication").contains("master_link_status:up"));
            claim(unconfirmed, CLAIM.owner());
            long roundTrips = proxy.roundTrips();
            CompletableFuture<WriteResult> answer = CompletableFuture.supplyAsync(() -> complete(store));
            await().until(() -> proxy.roundTrips() > roundTrips
                    && lost.command("INFO", "clients").contains("blocked_clients:1"));

            proxy.retarget("127.0.0.1", next.port());
            proxy.cut();

            assertThat(answer.join())
                    .isInstanceOfSatisfying(
                            WriteResult.StoreError.class,
                            error -> assertThat(error.cause())
                                    .hasMessageContaining("an unknown number of 1 required replicas"));
        }
    }

    @Test
    @DisplayName("D4 what a node of a cluster didn't answer isn't sent again")
    void cluster() {
        try (RedisCluster servers = RedisServers.startCluster(RedisBinary.embedded());
                RedisDedupStore store = RedisDedupStore.builder()
                        .clusterUri(servers.uris().get(0))
                        .commandTimeout(TIMEOUT)
                        .build()) {
            claim(store, CLAIM.owner());
            assertThat(complete(store)).isEqualTo(WriteResult.applied());
            servers.masters().forEach(server -> server.command("CLIENT", "PAUSE", "60000", "WRITE"));
            CompletableFuture<Void> forgotten = CompletableFuture.runAsync(() -> store.forget(KEY, LiveLease.RESPECT));
            await().until(() -> servers.masters().stream()
                    .anyMatch(server -> server.command("CLIENT", "LIST").contains("flags=b")));

            servers.masters().forEach(server -> server.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"));
            servers.masters().forEach(server -> server.command("CLIENT", "UNPAUSE"));

            assertThatThrownBy(forgotten::join).hasCauseInstanceOf(DedupStoreException.class);
            awaitConnection(store);
            assertThat(store.find(KEY)).isPresent();
        }
    }

    @Test
    @DisplayName("D4 a client of the application is refused where its Lettuce would send commands again")
    void clientOfTheApplication() {
        RedisClient client = RedisClient.create();
        client.setOptions(ClientOptions.builder()
                .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
                .build());
        try (RedisServer server = RedisServers.start()) {
            RedisDedupStoreBuilder builder = RedisDedupStore.builder().client(client, RedisURI.create(server.uri()));
            if (LettuceVersion.getVersion().startsWith("6.6.")) {
                assertThatThrownBy(builder::build)
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("Lettuce before 6.7");
            } else {
                builder.build().close();
            }
        } finally {
            client.shutdown();
        }
    }

    private static RedisDedupStore store(TcpProxy proxy) {
        RedisDedupStore store = RedisDedupStore.builder()
                .uri("redis://127.0.0.1:" + proxy.port())
                .commandTimeout(TIMEOUT)
                .build();
        // So that the server knows the scripts, and the reply that is lost isn't NOSCRIPT.
        Claim warm = new Claim(DedupScope.of("billing", "orders").key("warm-up"), new Owner("warm"), 1);
        assertThat(store.claim(List.of(new ClaimRequest(warm.key(), warm.owner(), TIMEOUT))))
                .hasSize(1);
        assertThat(store.complete(List.of(new CompleteRequest(warm, Window.of(TIMEOUT), null, false))))
                .containsExactly(WriteResult.applied());
        store.forget(warm.key(), LiveLease.RESPECT);
        return store;
    }

    private static void claim(RedisDedupStore store, Owner owner) {
        assertThat(store.claim(List.of(new ClaimRequest(KEY, owner, Duration.ofMinutes(10)))))
                .hasOnlyElementsOfType(ClaimResult.Acquired.class);
    }

    private static WriteResult complete(RedisDedupStore store) {
        return store.complete(List.of(new CompleteRequest(CLAIM, Window.of(Duration.ofHours(1)), null, false)))
                .get(0);
    }

    private static void awaitConnection(RedisDedupStore store) {
        await().atMost(TIMEOUT)
                .ignoreExceptionsInstanceOf(DedupStoreException.class)
                .until(() -> {
                    store.ping();
                    return true;
                });
    }
}
