package io.dedup.rocketmq.remoting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupStoreException;
import io.dedup.adapter.DedupAdapter;
import io.dedup.doubles.WatchedStore;
import io.dedup.store.DedupStore;
import io.dedup.store.memory.InMemoryDedupStore;
import java.util.List;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.common.message.MessageExt;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class StoreOutageTest {
    private final InMemoryDedupStore memory = new InMemoryDedupStore();
    private volatile boolean down;

    private DedupStore store() {
        WatchedStore watched = new WatchedStore(memory);
        for (String operation : List.of("claim", "complete", "release", "renew", "ping")) {
            watched.before(operation, () -> {
                if (down) {
                    throw new DedupStoreException("down", null);
                }
            });
        }
        return watched.store;
    }

    @Test
    @DisplayName("T4 store down at claim: waits until it answers, nothing runs, no attempt is spent")
    void downAtClaim() {
        try (Scene scene = new Scene(2, policy -> policy, store())) {
            DefaultMQPushConsumer consumer = scene.start(scene.effect());
            scene.send("a");
            scene.awaitEffects("a");
            down = true;
            scene.send("b", "a");
            await().until(() -> scene.count("deferred b") >= 20);
            assertThat(scene.effects).containsExactly("a");
            down = false;
            scene.awaitEffects("a", "b");
            await().until(() -> scene.count("duplicate a") == 1);
            scene.awaitAllAcked(consumer);
            assertThat(scene.reconsumed).containsOnly(0);
        }
    }

    @Test
    @DisplayName("T5 store down at completion: acked, DONE is written when the store is back, nothing runs again")
    void downAtCompletion() {
        try (Scene scene = new Scene(2, policy -> policy, store())) {
            DefaultMQPushConsumer consumer =
                    scene.start((List<MessageExt> messages, ConsumeConcurrentlyContext context) -> {
                        scene.effect(messages.get(0));
                        down = true;
                        return ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
                    });
            scene.send("a");
            await().until(() -> DedupAdapter.of(scene.dedup).pendingCompletions() == 1);
            scene.awaitAllAcked(consumer);
            down = false;
            await().until(() -> DedupAdapter.of(scene.dedup).pendingCompletions() == 0);
            scene.send("a");
            await().until(() -> scene.count("duplicate a") == 1);
            assertThat(scene.effects).containsExactly("a");
        }
    }
}
