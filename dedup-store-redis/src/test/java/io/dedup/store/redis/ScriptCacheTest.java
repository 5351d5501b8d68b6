package io.dedup.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupStoreException;
import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.ReleaseMode;
import io.dedup.store.WriteResult;
import io.dedup.testservers.redis.RedisBinary;
import io.dedup.testservers.redis.RedisCluster;
import io.dedup.testservers.redis.RedisServer;
import io.dedup.testservers.redis.RedisServers;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A server that has forgotten the scripts. */
class ScriptCacheTest {
    private final Messages messages = new Messages();

    @OnEachVersion
    @DisplayName("D3 every operation survives SCRIPT FLUSH")
    void everyOperation(RedisVersion version) {
        try (RedisServer server = version.server().start();
                RedisDedupStore store = Stores.builder().uri(server.uri()).build()) {
            server.command("SCRIPT", "FLUSH");
            ClaimRequest request = Messages.claim(messages.key());
            assertThat(Messages.only(store.claim(List.of(request)))).isInstanceOf(ClaimResult.Acquired.class);
            server.command("SCRIPT", "FLUSH");
            assertThat(Messages.only(store.renew(List.of(Messages.renew(request)))))
                    .isEqualTo(WriteResult.applied());
            server.command("SCRIPT", "FLUSH");
            assertThat(store.renew(List.of(Messages.renew(request)))).containsExactly(WriteResult.applied());
            server.command("SCRIPT", "FLUSH");
            assertThat(store.find(request.key())).isPresent();
            server.command("SCRIPT", "FLUSH");
            assertThat(Messages.only(store.complete(List.of(Messages.complete(request)))))
                    .isEqualTo(WriteResult.applied());
            server.command("SCRIPT", "FLUSH");
            assertThat(store.forget(request.key(), LiveLease.RESPECT)).isEqualTo(OperatorResult.APPLIED);
            server.command("SCRIPT", "FLUSH");
            assertThat(store.forceDone(request.key(), Messages.WINDOW, LiveLease.RESPECT))
                    .isEqualTo(OperatorResult.APPLIED);
            ClaimRequest other = Messages.acquire(store, messages.key());
            server.command("SCRIPT", "FLUSH");
            assertThat(Messages.only(store.release(List.of(Messages.release(other, ReleaseMode.STARTED)))))
                    .isEqualTo(WriteResult.applied());
        }
    }

    @Test
    @DisplayName("D3 a batch in several pieces survives SCRIPT FLUSH, and runs once")
    void batch() {
        try (RedisServer server = RedisServers.start();
                RedisDedupStore store =
                        Stores.builder().uri(server.uri()).maxBatch(10).build()) {
            List<ClaimRequest> claims = messages.claims(95);
            server.command("SCRIPT", "FLUSH");

            assertAllFirst(store.claim(claims));

            server.command("SCRIPT", "FLUSH");
            assertThat(store.complete(claims.stream().map(Messages::complete).toList()))
                    .containsOnly(WriteResult.applied());
        }
    }

    @Test
    @DisplayName("D3 in a cluster, one node after the other may have forgotten the scripts")
    void cluster() {
        try (RedisCluster cluster = RedisServers.startCluster(RedisBinary.embedded());
                RedisDedupStore store = Stores.builder()
                        .clusterUris(
                                cluster.uris().stream().map(RedisURI::create).toList())
                        .build()) {
            assertAllFirst(store.claim(messages.claims(50)));
            cluster.masters().get(1).command("SCRIPT", "FLUSH");
            assertAllFirst(store.claim(messages.claims(50)));
            cluster.masters().forEach(master -> master.command("SCRIPT", "FLUSH"));
            for (ClaimRequest request : messages.claims(20)) {
                assertThat(Messages.only(store.claim(List.of(request)))).isInstanceOf(ClaimResult.Acquired.class);
            }
        }
    }

    @OnEachVersion
    @DisplayName("D3 a restarted server is used again, without its scripts")
    void restart(RedisVersion version) {
        try (RedisServer server = version.server().config("appendonly", "yes").start();
                RedisDedupStore store = Stores.builder().uri(server.uri()).build()) {
            ClaimRequest before = Messages.acquire(store, messages.key());
            Messages.done(store, messages.key("done"));

            server.restart();

            await().ignoreExceptionsInstanceOf(DedupStoreException.class)
                    .untilAsserted(() -> assertThat(
                                    Messages.only(store.complete(List.of(Messages.complete(before, null, true)))))
                            .isEqualTo(WriteResult.applied()));
            assertThat(Messages.only(store.claim(List.of(Messages.claim(messages.key("done"))))))
                    .isInstanceOf(ClaimResult.AlreadyDone.class);
        }
    }

    @Test
    @DisplayName("D3 a server that came back empty is asked for the retention before it is written to")
    void restartedEmptyAndTakenByAnother() {
        try (RedisServer server = RedisServers.start();
                RedisDedupStore store = Stores.builder().uri(server.uri()).build()) {
            Messages.acquire(store, messages.key());
            server.restart();
            server.command("SET", "dedup{}!retention", "60000");

            await().ignoreExceptionsInstanceOf(AssertionError.class)
                    .atMost(Duration.ofSeconds(20))
                    .untilAsserted(() -> assertThatThrownBy(
                                    () -> Messages.only(store.claim(List.of(Messages.claim(messages.key())))))
                            .isInstanceOf(DedupStoreException.class)
                            .hasMessageContaining("attemptRetention")
                            .hasMessageContaining("60000 ms"));
            assertThat(server.command("KEYS", "*")).isEqualTo("dedup{}!retention");
        }
    }

    private static void assertAllFirst(List<ClaimResult> answers) {
        assertThat(answers)
                .allSatisfy(answer -> assertThat(answer)
                        .isInstanceOfSatisfying(
                                ClaimResult.Acquired.class,
                                acquired -> assertThat(acquired.attempt()).isEqualTo(1)));
    }
}
