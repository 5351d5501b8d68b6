package io.dedup.rocketmq.remoting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.consumer.listener.MessageListenerOrderly;
import org.apache.rocketmq.common.message.MessageExt;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** R9: a consumer that is closing, or was forgotten, goes on pulling. What it pulls must not lose its attempts. */
class ClosingTest {
    private final List<Long> deliveries = new CopyOnWriteArrayList<>();

    @ParameterizedTest(name = "orderly={0}")
    @ValueSource(booleans = {false, true})
    @DisplayName(
            "R9: with its deduplicator closed, a message waits in place, and spends one attempt instead of one after the other")
    void closedDeduplicator(boolean orderly) {
        try (Scene scene = new Scene(1)) {
            RemotingDedup dedup = scene.builder().build();
            scene.start(consumer -> {
                consumer.setSuspendCurrentQueueTimeMillis(50);
                if (orderly) {
                    MessageListenerOrderly decorated =
                            dedup.decorate(scene.group, (List<MessageExt> messages, ConsumeOrderlyContext context) -> {
                                scene.effect(messages.get(0));
                                return ConsumeOrderlyStatus.SUCCESS;
                            });
                    consumer.registerMessageListener((List<MessageExt> messages, ConsumeOrderlyContext context) -> {
                        deliveries.add(System.nanoTime());
                        return decorated.consumeMessage(messages, context);
                    });
                } else {
                    MessageListenerConcurrently decorated = dedup.decorate(scene.group, scene.effect());
                    consumer.registerMessageListener(
                            (List<MessageExt> messages, ConsumeConcurrentlyContext context) -> {
                                deliveries.add(System.nanoTime());
                                context.setDelayLevelWhenNextConsume(1);
                                return decorated.consumeMessage(messages, context);
                            });
                }
            });
            scene.dedup.close();
            scene.send("a");
            await().until(() -> deliveries.size() >= 2);
            assertThat(Duration.ofNanos(deliveries.get(1) - deliveries.get(0)))
                    .isGreaterThanOrEqualTo(Scene.WAIT_AFTER_CLOSE);
            assertThat(scene.effects).isEmpty();
        }
    }
}
