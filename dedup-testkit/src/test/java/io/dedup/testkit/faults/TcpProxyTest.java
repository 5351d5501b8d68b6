package io.dedup.testkit.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.testservers.redis.RedisAddress;
import io.dedup.testservers.redis.RedisServers;
import io.dedup.testservers.redis.RespClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

final class TcpProxyTest {

    private final RedisAddress redis = RedisServers.shared();
    private final TcpProxy proxy = TcpProxy.to(redis.host(), redis.port());

    @BeforeEach
    void clear() {
        redis.command("DEL", "counter");
    }

    @AfterEach
    void close() {
        proxy.close();
    }

    @Test
    void passesEverythingOn() throws IOException {
        try (RespClient client = connect()) {
            String big = "x".repeat(1_000_000);
            client.call("SET", "big", big);
            assertThat(client.call("GET", "big")).isEqualTo(big);
            assertThat(proxy.connections()).isEqualTo(1);
        }
        Awaitility.await().until(() -> proxy.connections() == 0);
    }

    @Test
    void countsRoundTripsOfAllConnections() throws IOException {
        try (RespClient client = connect();
                RespClient other = connect()) {
            client.call("PING");
            client.call("PING");
            other.call("PING");
            assertThat(proxy.roundTrips()).isEqualTo(3);
        }
        connect().close();
        assertThat(proxy.roundTrips()).isEqualTo(3);
    }

    @Test
    void aCutEndsConnectionsAndTakesNewOnes() throws IOException {
        try (RespClient client = connect()) {
            client.call("PING");
            proxy.cut();
            assertThatThrownBy(() -> client.call("PING")).isInstanceOf(IOException.class);
        }
        try (RespClient next = connect()) {
            assertThat(next.call("PING")).isEqualTo("PONG");
        }
    }

    @RepeatedTest(50) // a race of the system's
    void refusesUntilHealed() throws IOException {
        try (RespClient client = connect()) {
            client.call("PING"); // before, only the system has taken it, and closes it with the socket
            proxy.refuse();
            assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
            assertThat(client.call("PING")).isEqualTo("PONG");
            proxy.heal();
            connect().close();
        }
    }

    @Test
    void aFrozenConnectionAnswersWhenHealed() throws Exception {
        try (RespClient client = connect()) {
            proxy.freeze();
            CompletableFuture<String> reply = CompletableFuture.supplyAsync(() -> call(client, "INCR", "counter"));
            Awaitility.await()
                    .during(Duration.ofMillis(300))
                    .until(() ->
                            !reply.isDone() && redis.command("GET", "counter").isEmpty());
            proxy.heal();
            assertThat(reply.get()).isEqualTo("1");
        }
    }

    @Test
    void delaysEachDirection() throws IOException {
        try (RespClient client = connect()) {
            proxy.delay(Duration.ofMillis(100));
            long begin = System.nanoTime();
            client.call("PING");
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThanOrEqualTo(Duration.ofMillis(200));
        }
    }

    @Test
    void dropsRepliesToRequestsThatWereCarriedOut() throws Exception {
        try (RespClient client = connect()) {
            proxy.dropReplies();
            CompletableFuture<String> reply = CompletableFuture.supplyAsync(() -> call(client, "INCR", "counter"));
            Awaitility.await().until(() -> redis.command("GET", "counter").equals("1"));
            proxy.cut();
            assertThatThrownBy(reply::join).hasRootCauseInstanceOf(IOException.class);
        }
    }

    @Test
    void losesOneReplyAndTheConnection() throws IOException {
        try (RespClient client = connect();
                RespClient other = connect()) {
            proxy.loseReplyTo("INCR");
            assertThat(client.call("PING")).isEqualTo("PONG");
            assertThatThrownBy(() -> client.call("INCR", "counter")).isInstanceOf(IOException.class);
            assertThat(proxy.lostReplies()).isEqualTo(1);
            assertThat(other.call("INCR", "counter")).isEqualTo("2");
        }
    }

    private RespClient connect() throws IOException {
        return RespClient.connect("127.0.0.1", proxy.port(), null);
    }

    private static String call(RespClient client, String... command) {
        try {
            return client.call(command);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
