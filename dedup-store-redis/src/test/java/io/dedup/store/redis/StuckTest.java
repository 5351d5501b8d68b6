package io.dedup.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.DedupKey;
import io.dedup.DedupStoreException;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.ReleaseMode;
import io.dedup.store.StoredRecord.State;
import io.dedup.store.operator.StuckQuery;
import io.dedup.store.operator.StuckRecord;
import io.dedup.store.operator.StuckRecords;
import io.dedup.store.redis.internal.client.OpenConnections;
import io.dedup.store.redis.internal.client.RedisLinks;
import io.dedup.store.redis.internal.client.SingleConnector;
import io.dedup.store.redis.internal.packed.Packing;
import io.dedup.store.redis.internal.script.ReplicaConfirmation;
import io.dedup.store.redis.internal.server.RecordServers;
import io.dedup.testservers.redis.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What the published contract cannot know of the list of what is stuck. */
class StuckTest {
    private static final StuckQuery ALL = new StuckQuery(null, Duration.ZERO, 10);

    private final Messages messages = new Messages();

    @OnEachVersion
    @DisplayName("what others have put into the namespace is passed over")
    void foreignKeys(RedisVersion version) {
        try (RedisServer server = version.server().start();
                RedisDedupStore store = Stores.builder().uri(server.uri()).build()) {
            ClaimRequest claim = Messages.acquire(store, messages.key());
            for (String key : List.of(":", "::", ":x:y", ":1:a", ":1:", ":1ab", ":9:ab:c", ":0123:a:b", ":-1:a:b")) {
                server.command("SET", "dedup{}" + key, "Powner,1,0,1,");
            }
            for (String value :
                    List.of("P", "Powner", "Powner,1,0,1", "Powner,x,0,1,", "owner,1,0,1,", "", "F,1,0,1,é")) {
                server.command("SET", "dedup{}:1:a:" + value.length(), value);
            }
            for (String value : List.of("P" + "o".repeat(65) + ",1,0,5,", "P,99999999999,0,5,")) {
                server.command("SET", "dedup{}:1:a:" + value.length(), value, "PX", "60000");
            }
            server.command("LPUSH", "dedup{}:1:a:list", "Powner,1,0,1,");
            server.command("SET", "dedup{}:1:a:for ever", "Powner,1,0,1,");

            StuckRecords stuck = store.findStuck(ALL);

            assertThat(stuck.complete()).isTrue();
            assertThat(stuck.records())
                    .singleElement()
                    .satisfies(record ->
                            assertThat(record.key(claim.key().scope())).isEqualTo(claim.key()));
        }
    }

    @Test
    @DisplayName("of a claim by SET the time isn't known: it is listed from its release or the end of its lease on")
    void nativeClaims() {
        try (RedisServer server = RedisVersion.REDIS_7.server().start();
                RedisDedupStore store = Stores.builder().uri(server.uri()).build()) {
            ClaimRequest live = Messages.unfenced(messages.key());
            ClaimRequest released = Messages.unfenced(messages.key());
            assertThat(Messages.only(store.claim(List.of(live)))).isEqualTo(new ClaimResult.Acquired(1, 0, false, 0));
            assertThat(Messages.only(store.claim(List.of(released))))
                    .isEqualTo(new ClaimResult.Acquired(1, 0, false, 0));
            assertThat(store.findStuck(ALL).records()).isEmpty();

            Messages.only(store.release(List.of(Messages.release(released, ReleaseMode.STARTED))));

            assertThat(store.findStuck(ALL).records())
                    .singleElement()
                    .satisfies(record -> assertThat(record.messageId())
                            .isEqualTo(released.key().messageId()));
            server.command("PEXPIRE", Messages.stored(live.key()), "604800000"); // what the retention is
            assertThat(store.findStuck(ALL).records())
                    .extracting(StuckRecord::record)
                    .anySatisfy(record -> {
                        assertThat(record.state()).isEqualTo(State.ABANDONED);
                        assertThat(record.claimedAt()).isNull();
                        assertThat(record.owner()).isEqualTo(live.owner());
                    })
                    .hasSize(2);
        }
    }

    @Test
    @DisplayName("a walk that takes too long answers what it has, and isn't complete")
    void tooLong() {
        try (RedisServer server = RedisVersion.REDIS_6_2.server().start();
                RedisDedupStore store = Stores.builder().uri(server.uri()).build()) {
            DedupKey key = messages.key();
            Messages.acquire(store, key);
            assertThat(store.findStuck(ALL, Duration.ZERO)).isEqualTo(new StuckRecords(List.of(), false));
            assertThat(store.findStuck(ALL).records()).hasSize(1);
        }
    }

    @Test
    @DisplayName("when a server was replaced on the way, it isn't complete")
    void replaced() {
        try (RedisServer server = RedisVersion.REDIS_6_2.server().start()) {
            RedisURI uri = RedisURI.create(server.uri());
            RedisClient client = RedisClient.create(uri);
            RedisLinks links = new SingleConnector(client, uri, OpenConnections.ownClient(client::shutdown)).open();
            AtomicInteger layouts = new AtomicInteger();
            RecordServers changing = queries -> {
                RecordServers.Snapshot found = links.servers().find(queries);
                return new RecordServers.Snapshot(found.servers(), layouts.incrementAndGet(), found.opened());
            };
            RedisLinks moving = new RedisLinks(
                    links.where(), links.main(), links.heartbeat(), links.masters(), changing, links.opened());
            Duration patience = Duration.ofSeconds(30);
            try (RedisDedupStore store = StoreAssembly.assemble(
                    moving,
                    new RedisSettings(
                            "dedup", Duration.ofDays(7), patience, 500, Packing.OFF, 0, ReplicaConfirmation.NONE))) {
                Messages.acquire(store, messages.key());

                StuckRecords stuck = store.findStuck(ALL);

                assertThat(stuck.records()).hasSize(1);
                assertThat(stuck.complete()).isFalse();
            }
        }
    }

    @Test
    @DisplayName("a user who may not SCAN is told what is missing")
    void noPermission() {
        try (RedisServer server = RedisVersion.REDIS_6_2.server().start()) {
            server.command("ACL", "SETUSER", "u", "on", ">p", "~*", "+@all", "-scan");
            try (RedisDedupStore store = Stores.builder()
                    .uri("redis://u:p@127.0.0.1:" + server.port())
                    .build()) {
                assertThatThrownBy(() -> store.findStuck(ALL))
                        .isInstanceOf(DedupStoreException.class)
                        .hasMessageContaining("findStuck")
                        .hasMessageContaining("NOPERM");
            }
        }
    }
}
