package io.dedup.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.DedupStoreException;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.WriteResult;
import io.dedup.testservers.redis.RedisServer;
import io.dedup.testservers.redis.RedisServers;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What the stores of a packed namespace must agree on, and how a namespace becomes one. */
class PackedNamespaceTest {
    private final Messages messages = new Messages();
    private RedisServer server;

    @BeforeEach
    void start() {
        server = RedisServers.start();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    @DisplayName("a store with another number of buckets doesn't start, and says which to set")
    void otherBuckets() {
        packed().packed(10_000_000).build().close();
        packed().packed(10_000_001).build().close(); // the same number of buckets
        assertThatThrownBy(() -> packed().packed(20_000_000).build())
                .isInstanceOf(DedupStoreException.class)
                .hasMessageContaining("packed(20000000)")
                .hasMessageContaining("Set packed(10000000)");
    }

    @Test
    @DisplayName("a store that doesn't pack doesn't start on a packed namespace, and fails in ping once there is one")
    void unpacked() {
        try (RedisDedupStore before = Stores.builder().uri(server.uri()).build()) {
            packed().readPacked(1_000).build().close();
            before.ping(); // nothing is packed yet
            Stores.builder().uri(server.uri()).build().close();
            packed().packed(1_000).build().close();
            assertThatThrownBy(before::ping)
                    .isInstanceOf(DedupStoreException.class)
                    .hasMessageContaining("Set packed(1000)");
        }
        assertThatThrownBy(() -> Stores.builder().uri(server.uri()).build())
                .isInstanceOf(DedupStoreException.class)
                .hasMessageContaining("Set packed(1000)");
        Stores.builder().uri(server.uri()).namespace("other").build().close();
    }

    @Test
    @DisplayName("a store that packs doesn't start where others may run that don't know packed records")
    void oneStep() {
        try (RedisDedupStore old = Stores.builder().uri(server.uri()).build()) {
            assertThatThrownBy(() -> packed().packed(1_000).build())
                    .isInstanceOf(DedupStoreException.class)
                    .hasMessageContaining("First deploy readPacked(1000)");
            old.ping();
        }
        packed().readPacked(1_000).build().close();
        packed().packed(1_000).build().close();
    }

    @Test
    @DisplayName("settings of another version are refused")
    void otherVersion() {
        server.command("SET", "dedup{}!packed", "2,what,ever");
        for (RedisDedupStoreBuilder builder : List.of(packed().packed(1_000), packed())) {
            assertThatThrownBy(builder::build)
                    .isInstanceOf(DedupStoreException.class)
                    .hasMessageContaining("another way");
        }
    }

    @Test
    @DisplayName("a namespace is packed while it is in use: unpacked records are found, claims exclude each other")
    void migration() {
        ClaimRequest held = Messages.claim(messages.key());
        try (RedisDedupStore unpacked = Stores.builder().uri(server.uri()).build()) {
            Messages.done(unpacked, messages.key("old"));
            try (RedisDedupStore reading = packed().readPacked(1_000).build();
                    RedisDedupStore writing = packed().packed(1_000).build()) {
                assertThat(Messages.only(unpacked.claim(List.of(held)))).isInstanceOf(ClaimResult.Acquired.class);
                for (RedisDedupStore store : List.of(reading, writing)) {
                    assertThat(Messages.only(store.claim(List.of(Messages.claim(messages.key("old"))))))
                            .isInstanceOf(ClaimResult.AlreadyDone.class);
                    assertThat(Messages.only(store.claim(List.of(Messages.claim(held.key())))))
                            .isInstanceOf(ClaimResult.InFlight.class);
                }
                Messages.done(reading, messages.key("read"));
                Messages.done(writing, messages.key("written"));
                for (String id : List.of("read", "written")) {
                    assertThat(Messages.only(reading.claim(List.of(Messages.claim(messages.key(id))))))
                            .isInstanceOf(ClaimResult.AlreadyDone.class);
                    assertThat(Messages.only(writing.claim(List.of(Messages.claim(messages.key(id))))))
                            .isInstanceOf(ClaimResult.AlreadyDone.class);
                }
                assertThat(server.command("EXISTS", Messages.stored(messages.key("read"))))
                        .isEqualTo("1");
                assertThat(server.command("EXISTS", Messages.stored(messages.key("written"))))
                        .isEqualTo("0");
                assertThat(Messages.only(writing.complete(List.of(Messages.complete(held)))))
                        .isEqualTo(WriteResult.applied());
                assertThat(reading.find(held.key())).isPresent();
            }
        }
    }

    @Test
    @DisplayName("stores that run while the server loses its data find each other's records, at once")
    void lostData() {
        try (RedisDedupStore first = packed().packed(1_000).build()) {
            Messages.done(first, messages.key());
            server.command("FLUSHALL");
            Messages.done(first, messages.key("without settings"));
            try (RedisDedupStore second = packed().packed(1_000).build()) {
                Messages.done(first, messages.key("after"));
                for (String id : List.of("without settings", "after")) {
                    assertThat(Messages.only(second.claim(List.of(Messages.claim(messages.key(id))))))
                            .isInstanceOf(ClaimResult.AlreadyDone.class);
                }
            }
            server.command("FLUSHALL");
            first.ping();
            assertThatThrownBy(() -> Stores.builder().uri(server.uri()).build())
                    .hasMessageContaining("Set packed(1000)");
        }
    }

    @Test
    @DisplayName("a running store stops once a server that lost its data was given another number of buckets")
    void lostDataAndOtherBuckets() {
        try (RedisDedupStore first = packed().packed(1_000).build()) {
            ClaimRequest held = Messages.acquire(first, messages.key());
            server.command("FLUSHALL");
            server.command("SCRIPT", "FLUSH"); // as a restart does
            try (RedisDedupStore second = packed().packed(20_000_000).build()) {
                Messages.done(second, messages.key()); // its scripts are on the server again
            }
            assertThatThrownBy(() -> Messages.only(first.complete(List.of(Messages.complete(held)))))
                    .isInstanceOf(DedupStoreException.class)
                    .hasMessageContaining("Set packed(20000000)");
            assertThatThrownBy(first::ping).hasMessageContaining("Set packed(20000000)");
        }
    }

    @Test
    @DisplayName("the number of expected IDs is checked")
    void range() {
        for (long wrong : new long[] {0, -1, 1_000_000_000_001L}) {
            assertThatThrownBy(() -> packed().packed(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("packed");
        }
    }

    private RedisDedupStoreBuilder packed() {
        return Stores.builder().uri(server.uri());
    }
}
