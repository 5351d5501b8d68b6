package io.dedup.testservers.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

final class RedisServersTest {

    @Test
    void theSharedServerAnswersAndIsOne() {
        assertThat(RedisServers.shared().command("PING")).isEqualTo("PONG");
        assertThat(RedisServers.shared()).isSameAs(RedisServers.shared());
    }

    @Test
    void theEmbeddedServerIs62() {
        assertThat(RedisBinary.embedded().version()).startsWith("6.2.");
    }

    @Test
    void anInstalledServerIsUsedWhereThereIsOne() {
        assumeTrue(RedisBinary.installed().isPresent(), "no redis-server 7 on the PATH");
        RedisBinary installed = RedisBinary.installed().orElseThrow();
        try (RedisServer server = RedisServers.builder().binary(installed).start()) {
            assertThat(server.command("INFO", "server")).contains("redis_version:" + installed.version());
        }
    }

    @Test
    void takesConfiguration() {
        try (RedisServer server = RedisServers.builder()
                .config("maxmemory", "10mb")
                .config("maxmemory-policy", "allkeys-lru")
                .config("requirepass", "secret")
                .start()) {
            assertThat(server.uri()).isEqualTo("redis://:secret@127.0.0.1:" + server.port());
            assertThat(server.command("CONFIG", "GET", "maxmemory-policy")).contains("allkeys-lru");
            assertThat(server.command("CONFIG", "GET", "maxmemory")).contains("10485760");
            assertThatThrownBy(() -> new RedisAddress(server.host(), server.port(), null).command("PING"))
                    .isInstanceOf(UncheckedIOException.class)
                    .hasRootCauseMessage("Redis says NOAUTH Authentication required.");
        }
    }

    @Test
    void aConfigurationThatRedisRefusesIsReportedWithItsLog() {
        RedisServer.Builder builder = RedisServers.builder().config("maxmemory-policy", "nonsense");
        assertThatThrownBy(builder::start)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("ended at start")
                .hasMessageContaining("maxmemory-policy");
    }

    @Test
    void restartsOnTheSamePortAfterAKillAndAStop() {
        try (RedisServer server =
                RedisServers.builder().config("appendonly", "yes").start()) {
            server.command("SET", "k", "v");
            long first = server.pid();
            server.kill();
            assertThat(server.isRunning()).isFalse();
            assertThatThrownBy(() -> server.command("PING")).isInstanceOf(UncheckedIOException.class);
            server.start();
            assertThat(server.pid()).isNotEqualTo(first);
            assertThat(server.command("GET", "k")).isEqualTo("v");
            server.restart();
            assertThat(server.command("GET", "k")).isEqualTo("v");
        }
    }

    @Test
    void aPausedServerKeepsItsConnectionsAndAnswersLater() throws Exception {
        try (RedisServer server = RedisServers.start();
                RespClient client = RespClient.connect(server.host(), server.port(), null)) {
            server.pause();
            Thread resume = new Thread(() -> {
                Awaitility.await().until(() -> stateOf(server.pid()).equals("T"));
                server.resume();
            });
            resume.start();
            assertThat(client.call("PING")).isEqualTo("PONG");
            resume.join();
        }
    }

    private static String stateOf(long pid) throws Exception {
        String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
        return stat.substring(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3);
    }

    @Test
    void sentinelsFailOverToTheReplica() {
        try (RedisSentinels sentinels = RedisServers.startSentinels(RedisBinary.embedded())) {
            assertThat(sentinels.masterPort()).isEqualTo(sentinels.master().port());
            sentinels.master().kill();
            Awaitility.await()
                    .until(() -> sentinels.masterPort() == sentinels.replica().port());
            Awaitility.await().until(() -> sentinels.replica().command("ROLE").startsWith("master"));
        }
    }

    @Test
    void theClusterSharesTheSlots() {
        try (RedisCluster cluster = RedisServers.startCluster(RedisBinary.embedded())) {
            assertThat(cluster.masters()).hasSize(3);
            for (RedisServer master : cluster.masters()) {
                assertThat(master.command("CLUSTER", "INFO")).contains("cluster_slots_ok:16384");
            }
            assertThatThrownBy(() -> {
                        for (RedisServer master : cluster.masters()) {
                            master.command("SET", "k", "v");
                        }
                    })
                    .hasRootCauseMessage("Redis says MOVED 7629 127.0.0.1:"
                            + cluster.masters().get(1).port());
        }
    }
}
