package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupKey;
import io.dedup.DedupStoreException;
import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.doubles.WatchedStore;
import io.dedup.policy.Window;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.kafka.listener.AcknowledgingMessageListener;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AckMode;

/** An operator forgets a message while this process learns how its completion ended. */
class ForgottenTest {
    private final WatchedStore watched = new WatchedStore(Scene.memory());

    @Test
    @DisplayName("a message that is forgotten while its completion gets no answer is handled when it is sent again")
    void sentAgainBesideACompletion() throws Exception {
        try (Scene scene = new Scene(watched.store, 1, policy -> policy)) {
            DedupKey key = scene.dedup.key(scene.topic, "a");
            CountDownLatch recorded = new CountDownLatch(1);
            CountDownLatch forgotten = new CountDownLatch(1);
            AtomicBoolean first = new AtomicBoolean(true);
            watched.before("complete", requests -> {
                if (first.compareAndSet(true, false)) {
                    watched.store.forceDone(key, Window.of(Duration.ofDays(1)), LiveLease.OVERRIDE);
                    recorded.countDown();
                    forgotten.await();
                    throw new DedupStoreException("the answer is lost", null);
                }
            });
            AcknowledgingMessageListener<String, String> listener = (record, ack) -> {
                scene.effect().accept(record);
                new Thread(ack::acknowledge, "worker").start();
            };
            ContainerProperties properties = scene.properties(AckMode.MANUAL, listener);
            properties.setAsyncAcks(true);
            scene.start(scene.container(properties, Map.of()));
            scene.send("a");
            recorded.await();
            assertThat(scene.dedup.forget(key, LiveLease.RESPECT)).isEqualTo(OperatorResult.APPLIED);
            scene.send("a", "b");
            await().until(() -> scene.effects.contains("b"));
            forgotten.countDown();
            scene.awaitAllCommitted();
            assertThat(scene.effects).containsExactly("a", "a", "b");
        }
    }
}
