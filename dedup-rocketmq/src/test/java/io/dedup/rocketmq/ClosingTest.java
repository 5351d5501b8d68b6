package io.dedup.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.adapter.Execution;
import io.dedup.testservers.rocketmq.RocketMqServer.TopicType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.apache.rocketmq.client.apis.consumer.FilterExpression;
import org.apache.rocketmq.client.apis.consumer.MessageListener;
import org.apache.rocketmq.client.apis.message.MessageBuilder;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** R9: a push consumer that is closing, or was forgotten, goes on receiving. What it receives must not lose its attempts. */
class ClosingTest {
    private final List<Long> deliveries = new CopyOnWriteArrayList<>();

    private MessageListener counted(MessageListener decorated) {
        return message -> {
            deliveries.add(System.nanoTime());
            return decorated.consume(message);
        };
    }

    private static MessageListener effect(Scene scene) {
        return message -> {
            scene.effects.add(Scene.id(message));
            return ConsumeResult.SUCCESS;
        };
    }

    @ParameterizedTest
    @EnumSource(
            value = TopicType.class,
            names = {"NORMAL", "FIFO"})
    @DisplayName(
            "R9: with its deduplicator closed, a message waits in place, and spends one attempt instead of one after the other")
    void closedDeduplicator(TopicType type) throws Exception {
        try (Scene scene = new Scene(type, 16, policy -> policy)) {
            MessageListener decorated = scene.builder().build().decorate(scene.group, effect(scene));
            scene.closeLater(Scene.CLIENT
                    .newPushConsumerBuilder()
                    .setClientConfiguration(scene.client)
                    .setConsumerGroup(scene.group)
                    .setSubscriptionExpressions(Map.of(scene.topic, FilterExpression.SUB_ALL))
                    .setMessageListener(counted(decorated))
                    .build());
            scene.dedup.close();
            MessageBuilder message = scene.message("v-a").addProperty("id", "a");
            scene.send((type == TopicType.FIFO ? message.setMessageGroup("group") : message).build());
            await().until(() -> deliveries.size() >= 2);
            assertThat(Duration.ofNanos(deliveries.get(1) - deliveries.get(0)))
                    .isGreaterThanOrEqualTo(Scene.WAIT_AFTER_CLOSE);
            assertThat(scene.effects).isEmpty();
        }
    }

    @Test
    @DisplayName("R9: all messages together wait for a bounded time after the deduplicator's end")
    void bounded() {
        try (Scene scene = Scene.normal()) {
            MessageListener decorated = scene.builder().build().decorate(scene.group, effect(scene));
            scene.dedup.close();
            assertThat(decorated.consume(new PlayedMessage(scene.topic))).isEqualTo(ConsumeResult.FAILURE);
            long begin = System.nanoTime();
            for (int i = 0; i < 20; i++) {
                assertThat(decorated.consume(new PlayedMessage(scene.topic))).isEqualTo(ConsumeResult.FAILURE);
            }
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Scene.WAIT_AFTER_CLOSE.multipliedBy(2));
        }
    }

    @Test
    @DisplayName(
            "R9: after close() a message in flight elsewhere goes on waiting for a bounded time, and may still be decided")
    void closedDecorator() throws Exception {
        try (Scene scene = Scene.normal()) {
            Execution elsewhere = scene.runningElsewhere("played");
            RocketMqDedup rocket = scene.builder().build();
            MessageListener decorated = rocket.decorate(scene.group, effect(scene));
            rocket.close();
            CompletableFuture<ConsumeResult> answer =
                    CompletableFuture.supplyAsync(() -> decorated.consume(new PlayedMessage(scene.topic)));
            await().until(() -> scene.count("deferred played") >= 2);
            elsewhere.fail(new IllegalStateException("the other one failed"));
            assertThat(answer.get(Scene.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(ConsumeResult.SUCCESS);
            scene.awaitEffects("played");

            Execution again = scene.runningElsewhere("other");
            PlayedMessage other = new PlayedMessage(scene.topic, Map.of("id", "other"), List.of(), "");
            assertThat(decorated.consume(other)).isEqualTo(ConsumeResult.FAILURE);
            again.fail(new IllegalStateException("the other one failed"));
        }
    }

    @Test
    @DisplayName(
            "R9: what a loop returns when it closes isn't received by that loop once more, at the cost of an attempt")
    void returnedByAClosingLoop() {
        try (Scene scene = Scene.normal()) {
            Execution elsewhere = scene.runningElsewhere("played");
            PlayedBroker broker = new PlayedBroker();
            broker.receivesFor(Duration.ofSeconds(3));
            broker.redeliver();
            broker.deliver(new PlayedMessage(scene.topic, Map.of("id", "played", "name", "m"), List.of(), ""));
            SimpleConsumerLoop loop = scene.builder()
                    .build()
                    .loop(broker.consumer(), effect(scene))
                    .invisibleDuration(PlayedBroker.INVISIBLE)
                    .start();
            await().until(() -> scene.count("deferred played") > 0 && broker.isReceiving());
            loop.close();
            assertThat(broker.orders).containsExactly("back m PT1S");
            elsewhere.giveBack();
        }
    }
}
