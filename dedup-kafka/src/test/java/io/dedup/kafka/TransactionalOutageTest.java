package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupStoreException;
import io.dedup.LiveLease;
import io.dedup.policy.DedupMode;
import io.dedup.policy.OnStoreFailure;
import io.dedup.store.redis.RedisDedupStore;
import io.dedup.testkit.faults.TcpProxy;
import io.dedup.testservers.redis.RedisAddress;
import io.dedup.testservers.redis.RedisServers;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.util.backoff.FixedBackOff;

/** A database, or a store in front of it, that fails in the middle of a run. */
class TransactionalOutageTest {
    private final AtomicReference<@Nullable TcpProxy> proxied = new AtomicReference<>();
    private final List<String> recovered = new CopyOnWriteArrayList<>();

    private TcpProxy proxy() {
        return Objects.requireNonNull(proxied.get());
    }

    @AfterEach
    void closeProxy() {
        TcpProxy proxy = proxied.get();
        if (proxy != null) {
            proxy.close();
        }
    }

    private DefaultErrorHandler handler() {
        return new DefaultErrorHandler((record, e) -> recovered.add(Scene.id(record)), new FixedBackOff(0, 0));
    }

    private static Object listener(Ledger ledger, boolean batch) {
        return batch
                ? (BatchMessageListener<String, String>)
                        records -> records.forEach(record -> ledger.effect(Scene.id(record)))
                : (MessageListener<String, String>) record -> ledger.effect(Scene.id(record));
    }

    @ParameterizedTest
    @CsvSource({
        "TRANSACTIONAL, RETRY, false",
        "TRANSACTIONAL, PAUSE, true",
        "LEASED_TRANSACTIONAL, RETRY, true",
        "TIERED, RETRY, false",
        "TIERED, RETRY, true"
    })
    @DisplayName("T4 the database is down: deferred until it answers, nothing is recovered")
    void databaseDown(DedupMode mode, OnStoreFailure policy, boolean batch) {
        try (Ledger ledger = Ledger.postgres(proxied);
                Scene scene = ledger.scene(mode, 1, p -> p.onStoreFailure(policy))) {
            scene.closeLater(proxy()::heal);
            scene.send("a");
            var container = scene.container(AckMode.BATCH, listener(ledger, batch));
            container.setCommonErrorHandler(handler());
            scene.start(container);
            scene.awaitCommitted(1);

            proxy().refuse();
            proxy().cut();
            scene.send("b", "c", "a");
            await().until(() -> scene.deferrals.stream().anyMatch(each -> each.endsWith("STORE_UNAVAILABLE")));
            proxy().heal();

            scene.awaitCommitted(4);
            assertThat(ledger.effects()).containsExactly("a", "b", "c");
            assertThat(recovered).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "TRANSACTIONAL, false",
        "TRANSACTIONAL, true",
        "LEASED_TRANSACTIONAL, false",
        "LEASED_TRANSACTIONAL, true",
        "TIERED, false",
        "TIERED, true"
    })
    @DisplayName("T5 the answer to a commit is lost: not acked, not released; the record tells that it was committed")
    void commitUnknown(DedupMode mode, boolean batch) {
        try (Ledger ledger = Ledger.postgres(proxied);
                Scene scene = ledger.scene(mode)) {
            scene.send("a");
            var container = scene.container(AckMode.BATCH, listener(ledger, batch));
            container.setCommonErrorHandler(handler());
            scene.start(container);
            scene.awaitCommitted(1);

            proxy().loseReplyTo("COMMIT");
            scene.send("b");

            await().until(() -> scene.deferrals.contains("b COMMIT_UNKNOWN"));
            assertThat(proxy().lostReplies()).isPositive();
            scene.awaitCommitted(2);
            assertThat(ledger.effects()).containsExactly("a", "b");
            assertThat(recovered).isEmpty();
            assertThat(scene.events).contains("duplicate b");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("D2 TIERED: Redis flushed, then down, then back, in the middle of replays: still one effect each")
    void redisForgets(boolean batch) {
        RedisAddress redis = RedisServers.shared();
        try (Ledger ledger = Ledger.postgres();
                TcpProxy proxy = TcpProxy.to(redis.host(), redis.port());
                Scene scene = new Scene(
                        RedisDedupStore.builder()
                                .uri("redis://127.0.0.1:" + proxy.port())
                                .namespace("flushed-" + java.util.UUID.randomUUID())
                                .commandTimeout(Duration.ofSeconds(5))
                                .build(),
                        ledger.transactions,
                        1,
                        policy -> policy.mode(DedupMode.TIERED))) {
            scene.closeLater(proxy::heal);
            var container = scene.container(AckMode.BATCH, listener(ledger, batch));
            container.setCommonErrorHandler(handler());
            scene.start(container);
            scene.send("a", "b");
            scene.awaitCommitted(2);
            scene.store.forget(scene.dedup.key(scene.topic, "a"), LiveLease.OVERRIDE); // what a flush does to it
            scene.send("a", "b", "c");
            scene.awaitCommitted(5);

            proxy.refuse();
            proxy.cut();
            scene.send("a", "c", "d");
            scene.awaitCommitted(8);
            proxy.heal();
            scene.send("a", "d", "e");
            scene.awaitCommitted(11);

            assertThat(ledger.effects()).containsExactly("a", "b", "c", "d", "e");
            assertThat(recovered).isEmpty();
            // Redis' client may take a moment to connect again.
            await().ignoreExceptionsInstanceOf(DedupStoreException.class).until(() -> {
                scene.send("e");
                return scene.store.find(scene.dedup.key(scene.topic, "e")).isPresent();
            });
        }
    }

    @Test
    @DisplayName("TIERED: a duplicate that Redis remembers costs the database no round trip")
    void duplicatesDontTouchTheDatabase() {
        try (Ledger ledger = Ledger.postgres(proxied);
                Scene scene = ledger.scene(DedupMode.TIERED)) {
            scene.closeLater(proxy()::heal);
            scene.send("a", "b");
            scene.start(scene.container(AckMode.BATCH, listener(ledger, true)));
            scene.awaitCommitted(2);
            proxy().refuse();
            proxy().cut();

            scene.send("a", "b", "a");

            scene.awaitCommitted(5);
            proxy().heal();
            await().ignoreExceptions() // of connections that were cut
                    .untilAsserted(() -> assertThat(ledger.effects()).containsExactly("a", "b"));
            assertThat(scene.deferrals).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "LEASED")
    @DisplayName("S12 the connection is lost while the handler runs: nothing of it stays, and it runs again")
    void connectionLost(DedupMode mode) {
        try (Ledger ledger = Ledger.postgres(proxied);
                Scene scene = ledger.scene(mode)) {
            scene.send("a");
            var container = scene.container(AckMode.RECORD, (MessageListener<String, String>) record -> {
                ledger.effect(Scene.id(record));
                if (recovered.isEmpty()) {
                    recovered.add("cut once");
                    proxy().cut();
                }
                ledger.effect(Scene.id(record) + "2");
            });
            container.setCommonErrorHandler(
                    new DefaultErrorHandler((record, e) -> recovered.add(Scene.id(record)), new FixedBackOff(0, 20)));

            scene.runUntilCommitted(container);

            assertThat(ledger.effects()).containsExactly("a", "a2");
            assertThat(recovered).containsExactly("cut once");
        }
    }
}
