package io.dedup.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.LoggerContext;
import io.dedup.DedupStoreException;
import io.dedup.logged.OwnLines;
import io.dedup.store.redis.internal.check.ServerCheck;
import io.dedup.testservers.redis.RedisServer;
import io.dedup.testservers.redis.RedisServers;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What a store finds out before it is relied on. */
class StartTest {
    private static RedisServer server;
    private final Messages messages = new Messages();
    private final OwnLines log = OwnLines.of(ServerCheck.class);

    @BeforeAll
    static void startServer() {
        // Another test class, which runs at the same time, may just be setting SLF4J up: until then loggers are
        // substitutes.
        await().until(() -> LoggerFactory.getILoggerFactory() instanceof LoggerContext);
        server = RedisServers.builder().config("requirepass", "secret-word").start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @BeforeEach
    void listen() {
        server.command("FLUSHALL");
    }

    @AfterEach
    void stopListening() {
        log.close();
        server.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
    }

    private static RedisDedupStoreBuilder builder() {
        return Stores.builder().uri(server.uri());
    }

    @Test
    @DisplayName("a server that is down is an error at start, which names it, and no password")
    void down() {
        try (RedisServer other = RedisServers.start()) {
            int port = other.port();
            other.stop();

            assertThatThrownBy(() -> Stores.builder()
                            .uri("redis://:secret-word@127.0.0.1:" + port)
                            .build())
                    .isInstanceOf(DedupStoreException.class)
                    .hasMessageContaining("127.0.0.1:" + port)
                    .hasMessageContaining("uri")
                    .satisfies(e -> assertThat(stackTrace(e)).doesNotContain("secret-word"));
            assertThatThrownBy(() -> Stores.builder()
                            .clusterUri("redis://:secret-word@127.0.0.1:" + port)
                            .build())
                    .isInstanceOf(DedupStoreException.class)
                    .hasMessageContaining("127.0.0.1:" + port)
                    .satisfies(e -> assertThat(stackTrace(e)).doesNotContain("secret-word"));
        }
    }

    @Test
    @DisplayName("a server that stands still is an error at start, after the command timeout or two")
    void paused() {
        try (RedisServer other = RedisServers.start()) {
            other.pause();
            long start = System.nanoTime();
            assertThatThrownBy(() -> Stores.builder()
                            .uri(other.uri())
                            .commandTimeout(Duration.ofMillis(300))
                            .build())
                    .isInstanceOf(DedupStoreException.class);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
        }
    }

    @Test
    @DisplayName("a wrong password is an error at start, which doesn't show it")
    void wrongPassword() {
        assertThatThrownBy(() -> Stores.builder()
                        .uri("redis://:wrong-word@127.0.0.1:" + server.port())
                        .build())
                .isInstanceOf(DedupStoreException.class)
                .satisfies(e -> assertThat(stackTrace(e)).doesNotContain("wrong-word"));
    }

    private static String stackTrace(Throwable e) {
        StringWriter text = new StringWriter();
        e.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    @Test
    @DisplayName("D2 a server that evicts is warned of")
    void eviction() {
        server.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
        try (RedisDedupStore store = builder().build()) {
            assertThat(store.warnings())
                    .singleElement()
                    .satisfies(warning -> assertThat(warning).contains("allkeys-lru"));
        }

        assertThat(log.events())
                .singleElement()
                .satisfies(event -> assertThat(event.getFormattedMessage())
                        .contains("allkeys-lru", "noeviction", "127.0.0.1:" + server.port()));
    }

    @Test
    @DisplayName("D2 a server that doesn't evict is not warned of")
    void noEviction() {
        try (RedisDedupStore store = builder().build()) {
            assertThat(store.warnings()).isEmpty();
        }

        assertThat(log.events()).isEmpty();
    }

    @Test
    @DisplayName(
            "D6 a server of a cluster is refused where it is named as a standalone one: it would refuse every batch")
    void ofCluster() {
        try (RedisServer other =
                RedisServers.builder().config("cluster-enabled", "yes").start()) {
            assertThatThrownBy(() -> Stores.builder().uri(other.uri()).build())
                    .isInstanceOf(DedupStoreException.class)
                    .hasMessageContaining("clusterUri");
        }
    }

    @Test
    @DisplayName("a user who may neither INFO nor CONFIG is served, and warned")
    void restrictedUser() {
        server.command(
                "ACL",
                "SETUSER",
                "app",
                "on",
                ">pw",
                "~dedup{}*",
                "-@all",
                "+get",
                "+set",
                "+mget",
                "+del",
                "+pttl",
                "+pexpire",
                "+time",
                "+eval",
                "+evalsha",
                "+ping",
                "+hello",
                "+client");
        try (RedisDedupStore store = Stores.builder()
                .uri("redis://app:pw@127.0.0.1:" + server.port())
                .build()) {
            Messages.done(store, messages.key());
            assertThat(store.find(messages.key())).isEmpty();
        }
        assertThat(log.events())
                .isNotEmpty()
                .first()
                .satisfies(event -> assertThat(event.getFormattedMessage()).contains("INFO"));
    }

    @Test
    @DisplayName("a namespace keeps the retention it was started with: another one is refused, and named")
    void retention() {
        builder().attemptRetention(Duration.ofDays(3)).build().close();

        assertThatThrownBy(() -> builder().attemptRetention(Duration.ofDays(4)).build())
                .isInstanceOf(DedupStoreException.class)
                .hasMessageContaining(
                        "attemptRetention is 345600000 ms, but the namespace was created with 259200000 ms")
                .hasMessageContaining("namespace");
        assertThatThrownBy(() -> builder().build()).hasMessageContaining("attemptRetention");
        assertThatCode(() ->
                        builder().attemptRetention(Duration.ofDays(3)).build().close())
                .doesNotThrowAnyException();
        assertThatCode(() -> builder()
                        .namespace("other")
                        .attemptRetention(Duration.ofDays(4))
                        .build()
                        .close())
                .doesNotThrowAnyException();
    }

    @Test
    @DisplayName("a refused start leaves no connection behind")
    void nothingLeft() {
        builder().attemptRetention(Duration.ofDays(3)).build().close();
        String before =
                server.command("INFO", "clients").lines().skip(1).findFirst().orElseThrow();

        assertThatThrownBy(() -> builder().build()).isInstanceOf(DedupStoreException.class);

        await().untilAsserted(
                        () -> assertThat(server.command("INFO", "clients")).contains(before));
    }

    @Test
    @DisplayName("D4 a client that was handed in stays open, and is refused if it sends commands again")
    void foreignClient() {
        RedisURI uri = RedisURI.create(server.uri());
        RedisClient client = RedisClient.create();
        try {
            assertThatThrownBy(() -> Stores.builder().client(client, uri).build())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("disconnectedBehavior(REJECT_COMMANDS)");
            client.setOptions(ClientOptions.builder()
                    .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
                    .build());
            try (RedisDedupStore store = Stores.builder().client(client, uri).build()) {
                Messages.done(store, messages.key());
            }
            try (var connection = client.connect(uri)) {
                assertThat(connection.sync().ping()).isEqualTo("PONG");
            }
        } finally {
            client.shutdown();
        }
    }

    @Test
    @DisplayName("a key that holds something else fails alone, and says so")
    void foreignKeys() {
        try (RedisDedupStore store = builder().build()) {
            var list = messages.key("a list");
            var text = messages.key("a text");
            var fine = messages.key("fine");
            server.command("RPUSH", Messages.stored(list), "x");
            server.command("SET", Messages.stored(text), "x");

            assertThat(store.claim(List.of(Messages.claim(list), Messages.claim(fine), Messages.claim(text))))
                    .extracting(answer -> answer.getClass().getSimpleName())
                    .containsExactly("StoreError", "Acquired", "StoreError");
            for (var key : List.of(list, text)) {
                assertThatThrownBy(() -> Messages.only(store.claim(List.of(Messages.claim(key)))))
                        .isInstanceOf(DedupStoreException.class);
                assertThatThrownBy(() -> Messages.only(store.claim(List.of(Messages.unfenced(key)))))
                        .isInstanceOf(DedupStoreException.class);
                assertThatThrownBy(() -> store.find(key)).isInstanceOf(DedupStoreException.class);
            }
        }
    }
}
