package io.dedup.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.testservers.rocketmq.RocketMqServer;
import io.dedup.testservers.rocketmq.RocketMqServer.TopicType;
import io.dedup.testservers.rocketmq.RocketMqServers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.apache.rocketmq.client.apis.consumer.MessageListener;
import org.apache.rocketmq.client.apis.consumer.SimpleConsumer;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.apache.rocketmq.client.apis.producer.Producer;
import org.apache.rocketmq.client.apis.producer.Transaction;
import org.apache.rocketmq.client.apis.producer.TransactionResolution;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a broker does by itself, or is told by an operator. */
class BrokerTest {
    private final List<Integer> attempts = new CopyOnWriteArrayList<>();

    private MessageListener effect(Scene scene) {
        return message -> {
            attempts.add(message.getDeliveryAttempt());
            scene.effects.add(Scene.id(message));
            return ConsumeResult.SUCCESS;
        };
    }

    private void start(Scene scene, boolean push) {
        if (push) {
            scene.start(effect(scene));
        } else {
            scene.loop(effect(scene));
        }
    }

    @ParameterizedTest(name = "push={0}")
    @ValueSource(booleans = {true, false})
    @DisplayName("an offset reset: the whole topic comes again, and takes no second effect")
    void offsetReset(boolean push) {
        try (Scene scene = Scene.normal()) {
            start(scene, push);
            scene.send("a", "b", "c");
            scene.awaitEffects("a", "b", "c");
            scene.server.resetOffset(scene.topic, scene.group);
            await().until(() -> scene.duplicates("a", "b", "c") >= 3);
            scene.send("d");
            scene.awaitEffects("a", "b", "c", "d");
        }
    }

    @ParameterizedTest(name = "push={0}")
    @ValueSource(booleans = {true, false})
    @DisplayName("handled but never acked: comes again when its invisible time is over, and takes no second effect")
    void invisibleTimeOver(boolean push) throws Exception {
        try (Scene scene = Scene.normal()) {
            MessageListener decorated = scene.builder().build().decorate(scene.group, effect(scene));
            scene.send("a");
            try (SimpleConsumer consumer = scene.simpleConsumer(scene.group, scene.topic)) {
                await().until(() -> {
                    List<MessageView> received = consumer.receive(1, Duration.ofSeconds(1));
                    received.forEach(decorated::consume);
                    return !received.isEmpty();
                });
            }
            start(scene, push);
            await().until(() -> scene.duplicates("a") >= 1);
            assertThat(scene.effects).containsExactly("a");
        }
    }

    @ParameterizedTest(name = "push={0}")
    @ValueSource(booleans = {true, false})
    @DisplayName("delayed messages: each ID takes effect once, not before its time")
    void delayed(boolean push) {
        try (Scene scene = new Scene(TopicType.DELAY, 20, policy -> policy)) {
            start(scene, push);
            long begin = System.currentTimeMillis();
            for (int delay : new int[] {2000, 2500}) {
                scene.send(scene.message("v")
                        .addProperty("id", "a")
                        .setDeliveryTimestamp(begin + delay)
                        .build());
            }
            scene.awaitEffects("a");
            assertThat(System.currentTimeMillis() - begin)
                    .isGreaterThanOrEqualTo(1000); // the broker's ticks are seconds
            await().untilAsserted(() ->
                    assertThat(scene.duplicates("a")).as(scene.events::toString).isGreaterThanOrEqualTo(1));
            assertThat(scene.effects).containsExactly("a");
        }
    }

    @ParameterizedTest(name = "push={0}")
    @ValueSource(booleans = {true, false})
    @DisplayName("transactional messages: what is committed twice takes effect once, what is rolled back none")
    void transactions(boolean push) throws Exception {
        try (Scene scene = new Scene(TopicType.TRANSACTION, 20, policy -> policy)) {
            start(scene, push);
            Producer producer = scene.closeLater(Scene.CLIENT
                    .newProducerBuilder()
                    .setClientConfiguration(scene.client)
                    .setTopics(scene.topic)
                    .setTransactionChecker(message -> TransactionResolution.UNKNOWN)
                    .build());
            for (String id : List.of("a", "rolled back", "a", "b")) {
                Transaction transaction = producer.beginTransaction();
                producer.send(scene.message("v").addProperty("id", id).build(), transaction);
                if (id.equals("rolled back")) {
                    transaction.rollback();
                } else {
                    transaction.commit();
                }
            }
            scene.awaitEffects("a", "b");
            await().until(() -> scene.duplicates("a") >= 1);
            assertThat(scene.effects).containsExactlyInAnyOrder("a", "b");
        }
    }

    @ParameterizedTest(name = "push={0}")
    @ValueSource(booleans = {true, false})
    @DisplayName("two producers send the same ID")
    void twoProducers(boolean push) throws Exception {
        try (Scene scene = Scene.normal()) {
            start(scene, push);
            Producer second = scene.closeLater(Scene.CLIENT
                    .newProducerBuilder()
                    .setClientConfiguration(scene.client)
                    .setTopics(scene.topic)
                    .build());
            scene.send("a");
            second.send(scene.message("other").addProperty("id", "a").build());
            await().until(() -> scene.duplicates("a") >= 1);
            assertThat(scene.effects).containsExactly("a");
        }
    }

    @Test
    @DisplayName("R4 lite topics: one effect for each ID, also when it comes on two of them; a failure comes again")
    void lite() throws Exception {
        try (RocketMqServer server = RocketMqServers.builder()
                        .clusterMode()
                        .proxySetting("defaultInvisibleTimeMills", "3000")
                        .proxySetting("renewAheadTimeMillis", "-3600000")
                        .start();
                Scene scene = new Scene(server, TopicType.LITE, 20, policy -> policy, Scene.memory())) {
            String group = scene.group + "-lite";
            scene.server.createLiteGroup(group, scene.topic, 20);
            RocketMqDedup rocket = scene.builder().build();
            var consumer = scene.closeLater(Scene.CLIENT
                    .newLitePushConsumerBuilder()
                    .setClientConfiguration(scene.client)
                    .bindTopic(scene.topic)
                    .setConsumerGroup(group)
                    .setMessageListener(rocket.decorate(group, message -> {
                        if (Scene.id(message).equals("b")
                                && scene.events.stream().noneMatch("released b"::equals)) {
                            return ConsumeResult.FAILURE;
                        }
                        return effect(scene).consume(message);
                    }))
                    .build());
            consumer.subscribeLite("one");
            consumer.subscribeLite("two");
            for (String lite : List.of("one", "two")) {
                for (String id : List.of("a", "b")) {
                    scene.send(scene.message("v")
                            .addProperty("id", id)
                            .setLiteTopic(lite)
                            .build());
                }
            }
            scene.awaitEffects("a", "b");
            await().untilAsserted(() -> assertThat(scene.events).contains("duplicate a", "released b", "duplicate b"));
            assertThat(scene.effects).containsExactlyInAnyOrder("a", "b");
        }
    }
}
