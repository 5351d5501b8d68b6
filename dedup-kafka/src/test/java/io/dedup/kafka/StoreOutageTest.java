package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.adapter.DedupAdapter;
import io.dedup.policy.DedupPolicy;
import io.dedup.policy.OnStoreFailure;
import io.dedup.store.StoredRecord;
import io.dedup.store.redis.RedisDedupStore;
import io.dedup.testkit.faults.TcpProxy;
import io.dedup.testservers.kafka.KafkaServers;
import io.dedup.testservers.redis.RedisAddress;
import io.dedup.testservers.redis.RedisServers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.util.backoff.FixedBackOff;

/** A real Redis that stops answering in the middle of a run. */
class StoreOutageTest {
    private final RedisAddress redis = RedisServers.shared();
    private final TcpProxy proxy = TcpProxy.to(redis.host(), redis.port());
    private final List<String> recovered = new CopyOnWriteArrayList<>();

    /** The first connection of a JVM loads its client's classes, which takes longer than the tests' timeout. */
    @BeforeAll
    static void warmUp() {
        RedisDedupStore.builder()
                .uri(RedisServers.shared().uri())
                .commandTimeout(Duration.ofMinutes(1))
                .build()
                .close();
    }

    private Scene scene(UnaryOperator<DedupPolicy.Builder> changes) {
        Scene scene = new Scene(
                RedisDedupStore.builder()
                        .uri("redis://127.0.0.1:" + proxy.port())
                        .commandTimeout(Duration.ofSeconds(5))
                        .build(),
                1,
                changes);
        scene.closeLater(proxy::heal);
        return scene;
    }

    private void down() {
        proxy.refuse();
        proxy.cut();
    }

    private DefaultErrorHandler handler() {
        return new DefaultErrorHandler((record, e) -> recovered.add(Scene.id(record)), new FixedBackOff(0, 0));
    }

    @ParameterizedTest(name = "{0} batch={1}")
    @CsvSource({"RETRY,false", "RETRY,true", "PAUSE,false", "PAUSE,true"})
    @DisplayName("T4 store down at claim: deferred until it answers, nothing runs, nothing is recovered")
    void downAtClaim(OnStoreFailure policy, boolean batch) {
        try (Scene scene = scene(p -> p.onStoreFailure(policy))) {
            scene.send("a");
            var container = scene.container(AckMode.BATCH, DeferralTest.listener(scene, batch));
            container.setCommonErrorHandler(handler());
            scene.start(container);
            scene.awaitCommitted(1);
            down();
            scene.send("b", "c");
            int wanted = policy == OnStoreFailure.RETRY ? 4 : 1;
            await().until(() -> scene.deferrals.size() >= wanted);
            if (policy == OnStoreFailure.PAUSE) {
                await().until(container::isContainerPaused);
            }
            assertThat(scene.effects).containsExactly("a");
            proxy.heal();
            scene.awaitEffects("a", "b", "c");
            scene.awaitCommitted(3);
            assertThat(container.isPauseRequested()).isFalse();
            assertThat(recovered).isEmpty();
        }
    }

    @Test
    @DisplayName("PAUSE resumes only what it paused: a container that the user pauses meanwhile stays paused")
    void pauseOfTheUser() {
        try (Scene scene = scene(p -> p.onStoreFailure(OnStoreFailure.PAUSE))) {
            scene.send("a");
            var container = scene.start(scene.container(AckMode.BATCH, DeferralTest.listener(scene, false)));
            scene.awaitCommitted(1);
            container.pause();
            await().until(container::isContainerPaused);
            String topic = "other-" + scene.topic;
            KafkaServers.shared().createTopic(topic, 1);
            ProducerRecord<String, String> record = new ProducerRecord<>(topic, "b");
            record.headers().add("id", "b".getBytes(StandardCharsets.UTF_8));
            scene.send(record);
            ContainerProperties properties = new ContainerProperties(topic);
            properties.setPollTimeout(200);
            properties.setGroupId(topic);
            properties.setMessageListener(DeferralTest.listener(scene, false));
            var other = scene.container(properties, Map.of());
            down();
            scene.start(other);
            await().until(other::isPauseRequested);
            proxy.heal();
            await().until(() -> !other.isPauseRequested());
            assertThat(container.isPauseRequested()).isTrue();
        }
    }

    @Test
    @DisplayName("PAUSE pauses again what somebody resumes in the outage, instead of polling its records without end")
    void resumedInTheOutage() {
        try (Scene scene = scene(p -> p.onStoreFailure(OnStoreFailure.PAUSE))) {
            scene.send("a");
            var container = scene.start(scene.container(AckMode.BATCH, DeferralTest.listener(scene, false)));
            scene.awaitCommitted(1);
            down();
            scene.send("b");
            await().until(container::isContainerPaused);
            container.resume();
            await().until(container::isPauseRequested);
            proxy.heal();
            scene.awaitEffects("a", "b");
            scene.awaitCommitted(2);
            assertThat(container.isPauseRequested()).isFalse();
        }
    }

    @Test
    @DisplayName("PROCESS runs unguarded, and DONE is written once the store answers")
    void process() {
        try (Scene scene = scene(p -> p.onStoreFailure(OnStoreFailure.PROCESS))) {
            scene.send("a");
            scene.start(scene.container(AckMode.BATCH, DeferralTest.listener(scene, false)));
            scene.awaitCommitted(1);
            down();
            scene.send("b");
            scene.awaitEffects("a", "b");
            scene.awaitCommitted(2);
            proxy.heal();
            await().until(() -> DedupAdapter.of(scene.dedup).pendingCompletions() == 0);
            scene.send("b", "c");
            scene.awaitEffects("a", "b", "c");
            scene.awaitCommitted(4);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = AckMode.class,
            names = {"RECORD", "BATCH"})
    @DisplayName("T5 store down at completion: the effect has happened, so it is acked and not released; DONE follows")
    void downAtCompletion(AckMode mode) {
        try (Scene scene = scene(p -> p)) {
            AtomicBoolean once = new AtomicBoolean();
            scene.claimAhead(false); // else the second is claimed before the store goes down
            scene.send("a", "b");
            scene.start(scene.container(mode, (MessageListener<String, String>) record -> {
                scene.effect().accept(record);
                if (once.compareAndSet(false, true)) {
                    down();
                }
            }));
            await().until(() -> scene.pending.get() == 1);
            await().until(() -> !scene.deferrals.isEmpty());
            scene.awaitCommitted(1);
            assertThat(scene.effects).containsExactly("a");
            assertThat(scene.events).doesNotContain("released a");
            proxy.heal();
            scene.awaitEffects("a", "b");
            scene.awaitCommitted(2);
            await().until(() -> scene.store
                            .find(scene.dedup.key(scene.topic, "a"))
                            .orElseThrow()
                            .state()
                    == StoredRecord.State.DONE);
        }
    }
}
