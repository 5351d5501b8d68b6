package io.dedup.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupOutcome.Completion;
import io.dedup.adapter.WaitBudget;
import io.dedup.testservers.rocketmq.RocketMqServer.TopicType;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.apache.rocketmq.client.apis.consumer.MessageListener;
import org.apache.rocketmq.client.apis.consumer.SimpleConsumer;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Why a message is a duplicate")
class DuplicateCauseTest {
    private final Scene scene = new Scene(TopicType.NORMAL, 20, policy -> policy.explainDuplicates(true));
    private final AtomicInteger calls = new AtomicInteger();

    @AfterEach
    void close() {
        scene.close();
    }

    private AutoCloseable start(boolean push, MessageListener listener) {
        return push ? scene.start(listener) : scene.loop(listener);
    }

    private ConsumeResult effect(MessageView message) {
        scene.effects.add(Scene.id(message));
        return ConsumeResult.SUCCESS;
    }

    @ParameterizedTest(name = "push={0}")
    @ValueSource(booleans = {true, false})
    @DisplayName(
            "resent: another message with the same ID. Concurrent: in flight elsewhere. A retry after a failure is no duplicate")
    void resent(boolean push) throws Exception {
        var elsewhere = scene.runningElsewhere("c");
        start(push, message -> calls.incrementAndGet() == 1 ? ConsumeResult.FAILURE : effect(message));
        scene.send("a");
        scene.awaitEffects("a");
        assertThat(scene.causes).isEmpty();
        scene.send("b");
        scene.awaitEffects("a", "b");
        scene.send("b", "c");
        await().until(() -> scene.count("deferred c") > 0);
        assertThat(elsewhere.succeed(null, WaitBudget.none())).isEqualTo(Completion.DONE);
        // Others as well, if the machine is so busy that an acknowledgment comes too late.
        await().untilAsserted(() -> assertThat(scene.causes).contains("resent b", "concurrent c"));
    }

    @Test
    @DisplayName("redelivered: handled and not acknowledged. Replayed: acknowledged, and the group's offset was reset")
    void sameMessage() throws Exception {
        MessageListener decorated = scene.builder().build().decorate(scene.group, this::effect);
        SimpleConsumer consumer = scene.closeLater(scene.simpleConsumer(scene.group, scene.topic));
        scene.send("a");
        MessageView first = receive(consumer, 1);
        assertThat(decorated.consume(first)).isEqualTo(ConsumeResult.SUCCESS);
        consumer.changeInvisibleDuration(first, Duration.ofMillis(200));
        MessageView second = receive(consumer, 2);
        assertThat(decorated.consume(second)).isEqualTo(ConsumeResult.SUCCESS);
        assertThat(scene.causes).containsExactly("redelivered a");
        consumer.ack(second);

        await().pollInSameThread().untilAsserted(() -> {
            scene.server.resetOffset(scene.topic, scene.group);
            assertThat(decorated.consume(receive(consumer, 1))).isEqualTo(ConsumeResult.SUCCESS);
        });
        assertThat(scene.causes).containsExactly("redelivered a", "replayed a");
        assertThat(scene.effects).containsExactly("a");
    }

    private static MessageView receive(SimpleConsumer consumer, int attempt) {
        MessageView[] received = {null};
        await().pollInSameThread().until(() -> {
            for (MessageView message : consumer.receive(1, Duration.ofSeconds(30))) {
                received[0] = message;
            }
            return received[0] != null;
        });
        assertThat(received[0].getDeliveryAttempt()).isEqualTo(attempt);
        return received[0];
    }
}
