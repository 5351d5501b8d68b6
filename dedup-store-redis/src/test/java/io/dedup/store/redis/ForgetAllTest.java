package io.dedup.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupKey;
import io.dedup.DedupStoreException;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.WriteResult;
import io.dedup.testkit.faults.TcpProxy;
import io.dedup.testservers.redis.RedisServer;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** All records of a namespace, and nothing else, are forgotten. */
class ForgetAllTest {
    static final List<String> HOSTILE = List.of(
            "*",
            "?",
            "[a-z]",
            "a]b",
            "\\",
            "\\*",
            "^",
            "{}",
            "{",
            "}",
            "{}:",
            "{}!retention",
            "a\nb",
            "a\r\nb",
            "\u0000",
            "\u0001\u007f\u0080\u07ff",
            "a\u2028b",
            "\uffff",
            "\ud83d\ude00",
            "dedup{}:",
            "0",
            "-1",
            " x ",
            ":",
            "'\"");

    private static final Pattern REMOVED = Pattern.compile("Removed (\\d+) records");

    private final Messages messages = new Messages();

    static Stream<ClaimRequest> hostile(Messages messages) {
        return HOSTILE.stream().map(id -> Messages.claim(messages.key(id)));
    }

    private static void acquireAll(RedisDedupStore store, List<ClaimRequest> claims) {
        assertThat(store.claim(claims))
                .allSatisfy(answer -> assertThat(answer).isInstanceOf(ClaimResult.Acquired.class));
    }

    @OnEachVersion
    @DisplayName("every record goes, whatever its ID and state; the retention and other namespaces stay")
    void everyRecord(RedisVersion version) {
        try (RedisServer server = version.server().start();
                RedisDedupStore store = Stores.builder().uri(server.uri()).build()) {
            List<String> foreignKeys =
                    List.of("dedup", "dedup{}", "dedup{a}:x", "xdedup{}:x", "Dedup{}:x", "dedup{}!x");
            foreignKeys.forEach(key -> server.command("SET", key, "1"));
            ClaimRequest foreign = Messages.claim(messages.key());
            List<String> namespaces = List.of("dedup2", "dedup:", "dedup:a", "dedu", "dedup-", "x");
            for (String namespace : namespaces) {
                try (RedisDedupStore other =
                        Stores.builder().uri(server.uri()).namespace(namespace).build()) {
                    acquireAll(other, List.of(foreign));
                }
            }
            int before = Integer.parseInt(server.command("DBSIZE"));
            List<ClaimRequest> claims = Stream.concat(messages.claims(25_000).stream(), hostile(messages))
                    .toList();
            acquireAll(store, claims);
            List<ClaimRequest> done = claims.subList(10_000, claims.size());
            assertThat(store.complete(done.stream().map(Messages::complete).toList()))
                    .containsOnly(WriteResult.applied());

            assertThat(store.forgetAll()).isEqualTo(claims.size());

            assertThat(server.command("DBSIZE")).isEqualTo(Integer.toString(before));
            assertThat(Messages.only(store.complete(List.of(Messages.complete(claims.get(0))))))
                    .as("whose lease was live")
                    .isEqualTo(WriteResult.leaseLost());
            assertThat(Messages.only(
                            store.claim(List.of(Messages.claim(done.get(0).key())))))
                    .isInstanceOf(ClaimResult.Acquired.class);
            store.ping();
            assertThat(server.command("GET", "dedup{}!retention")).isEqualTo("604800000");
            assertThat(foreignKeys)
                    .allSatisfy(key -> assertThat(server.command("EXISTS", key)).isEqualTo("1"));
            for (String namespace : namespaces) {
                try (RedisDedupStore other =
                        Stores.builder().uri(server.uri()).namespace(namespace).build()) {
                    assertThat(other.find(foreign.key())).as(namespace).isPresent();
                }
            }
            assertThat(store.forgetAll()).isEqualTo(1);
            assertThat(store.forgetAll()).isZero();
        }
    }

    @Test
    @DisplayName("an answer lost on the way is an error that says how far it came, and a second call finishes")
    void inTheMiddle() {
        try (RedisServer server = RedisVersion.REDIS_6_2.server().start();
                TcpProxy proxy = TcpProxy.to(server.port());
                RedisDedupStore store = Stores.builder()
                        .uri("redis://127.0.0.1:" + proxy.port())
                        .build()) {
            acquireAll(store, messages.claims(5_000));
            DedupKey last = messages.key("the-one");
            acquireAll(store, List.of(Messages.claim(last)));
            proxy.loseReplyTo("the-one"); // first in the UNLINK that holds it

            Throwable failure = catchThrowable(store::forgetAll);

            assertThat(failure)
                    .isInstanceOf(DedupStoreException.class)
                    .hasMessageContaining("forgetAll")
                    .hasMessageContaining("Repeat the call");
            assertThat(proxy.lostReplies()).isEqualTo(1);
            Matcher removed = REMOVED.matcher(failure.getMessage());
            assertThat(removed.find()).isTrue();
            int left = Integer.parseInt(server.command("DBSIZE")) - 1;
            assertThat(Integer.parseInt(removed.group(1)) + left).isBetween(0, 5_001);
            await().ignoreExceptionsInstanceOf(DedupStoreException.class).until(() -> store.forgetAll() == left);
            assertThat(server.command("DBSIZE")).isEqualTo("1");
        }
    }

    @Test
    @DisplayName("a user who may not UNLINK is told what is missing, and nothing is taken for removed")
    void noPermission() {
        try (RedisServer server = RedisVersion.REDIS_6_2.server().start()) {
            server.command("ACL", "SETUSER", "u", "on", ">p", "~*", "+@all", "-unlink");
            try (RedisDedupStore store = Stores.builder()
                    .uri("redis://u:p@127.0.0.1:" + server.port())
                    .build()) {
                acquireAll(store, messages.claims(3));

                assertThatThrownBy(store::forgetAll)
                        .isInstanceOf(DedupStoreException.class)
                        .hasMessageContaining("NOPERM")
                        .hasMessageContaining("UNLINK")
                        .hasMessageContaining("Removed 0 records");
            }
        }
    }

    @Test
    @DisplayName("T6 an interrupt ends it, and leaves the flag set")
    void interrupted() {
        try (RedisServer server = RedisVersion.REDIS_6_2.server().start();
                RedisDedupStore store = Stores.builder().uri(server.uri()).build()) {
            acquireAll(store, messages.claims(3));
            Thread.currentThread().interrupt();
            try {
                assertThatThrownBy(store::forgetAll).isInstanceOf(DedupStoreException.class);
                assertThat(Thread.currentThread().isInterrupted()).isTrue();
            } finally {
                assertThat(Thread.interrupted()).isTrue();
            }
            assertThat(store.forgetAll()).isEqualTo(3);
        }
    }
}
