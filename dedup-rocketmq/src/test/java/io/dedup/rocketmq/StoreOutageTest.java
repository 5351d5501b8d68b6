package io.dedup.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.adapter.DedupAdapter;
import io.dedup.policy.DedupPolicy;
import io.dedup.policy.OnStoreFailure;
import io.dedup.store.redis.RedisDedupStore;
import io.dedup.testkit.faults.TcpProxy;
import io.dedup.testservers.redis.RedisAddress;
import io.dedup.testservers.redis.RedisServers;
import io.dedup.testservers.rocketmq.RocketMqServer.TopicType;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.apache.rocketmq.client.apis.consumer.MessageListener;
import org.apache.rocketmq.client.apis.consumer.PushConsumer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A real Redis that stops answering in the middle of a run. */
class StoreOutageTest {
    private final RedisAddress redis = RedisServers.shared();
    private final TcpProxy proxy = TcpProxy.to(redis.host(), redis.port());
    private final List<Integer> attempts = new CopyOnWriteArrayList<>();

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
        return new Scene(
                TopicType.NORMAL,
                1,
                changes,
                RedisDedupStore.builder()
                        .uri("redis://127.0.0.1:" + proxy.port())
                        .commandTimeout(Duration.ofSeconds(5))
                        .build());
    }

    private void down() {
        proxy.refuse();
        proxy.cut();
    }

    private MessageListener effect(Scene scene) {
        return message -> {
            attempts.add(message.getDeliveryAttempt());
            scene.effects.add(Scene.id(message));
            return ConsumeResult.SUCCESS;
        };
    }

    @ParameterizedTest(name = "{0} push={1}")
    @CsvSource({"RETRY,true", "RETRY,false", "PAUSE,true", "PAUSE,false"})
    @DisplayName("T4 store down at claim: waits until it answers, nothing runs, no attempt is spent")
    void downAtClaim(OnStoreFailure policy, boolean push) {
        try (Scene scene = scene(p -> p.onStoreFailure(policy))) {
            try {
                if (push) {
                    scene.start(effect(scene));
                } else {
                    scene.loop(effect(scene));
                }
                scene.send("a");
                scene.awaitEffects("a");
                down();
                scene.send("b", "c", "b");
                await().until(() -> scene.count("deferred b") >= 5); // longer than invisible
                assertThat(scene.effects).containsExactly("a");
                proxy.heal();
                scene.awaitEffects("a", "b", "c");
                assertThat(attempts).containsOnly(1);
            } finally {
                proxy.heal();
            }
        }
    }

    @ParameterizedTest(name = "push={0}")
    @ValueSource(booleans = {true, false})
    @DisplayName("T5 store down at completion: acked, and DONE is written when the store is back; nothing runs again")
    void downAtCompletion(boolean push) {
        try (Scene scene = scene(policy -> policy)) {
            try {
                CountDownLatch isDown = new CountDownLatch(1);
                CountDownLatch entered = new CountDownLatch(1);
                MessageListener listener = message -> {
                    entered.countDown();
                    awaitLatch(isDown);
                    return effect(scene).consume(message);
                };
                if (push) {
                    scene.start(listener);
                } else {
                    scene.loop(listener);
                }
                scene.send("a");
                awaitLatch(entered);
                down();
                isDown.countDown();
                scene.awaitEffects("a");
                await().until(() -> DedupAdapter.of(scene.dedup).pendingCompletions() == 1);
                proxy.heal();
                await().until(() -> DedupAdapter.of(scene.dedup).pendingCompletions() == 0);
                scene.send("a");
                await().until(() -> scene.duplicates("a") >= 1);
                assertThat(scene.effects).containsExactly("a");
            } finally {
                proxy.heal();
            }
        }
    }

    @Test
    @DisplayName("R2 close() ends the waits of a push consumer, which would go on for minutes")
    void closeEndsWaits() throws Exception {
        try (Scene scene = scene(policy -> policy)) {
            try {
                RocketMqDedup rocket = scene.builder().build();
                PushConsumer consumer = scene.start(rocket, scene.group, effect(scene));
                scene.send("a");
                scene.awaitEffects("a");
                down();
                scene.send("b");
                await().until(() -> scene.count("deferred b") >= 1);
                rocket.close();
                Thread closing = new Thread(() -> {
                    try {
                        consumer.close();
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                });
                closing.start();
                await().until(() -> !closing.isAlive());
                assertThat(scene.effects).containsExactly("a");
            } finally {
                proxy.heal();
            }
        }
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
