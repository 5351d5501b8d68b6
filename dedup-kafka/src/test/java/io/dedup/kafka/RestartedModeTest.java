package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.springframework.kafka.listener.AcknowledgingMessageListener;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.support.TopicPartitionOffset;

/** A container that is stopped and started again with another ack mode, while a handler of before still runs. */
class RestartedModeTest {
    @Test
    void aConsumerThatOutlivesTheStopDecidesNothingForTheNextStart() throws Exception {
        try (Scene scene = new Scene()) {
            CountDownLatch running = new CountDownLatch(1);
            CountDownLatch restarted = new CountDownLatch(1);
            AcknowledgingMessageListener<String, String> listener = (record, ack) -> {
                String id = Scene.id(record);
                if (id.equals("a")) {
                    running.countDown();
                    Uninterrupted.await(restarted);
                }
                scene.effects.add(id);
                if (id.startsWith("manual")) {
                    ack.acknowledge();
                }
            };
            var properties = new ContainerProperties(new TopicPartitionOffset(scene.topic, 0)); // no group to wait for
            properties.setAckMode(AckMode.RECORD);
            properties.setMessageListener(listener);
            properties.setShutdownTimeout(100);
            scene.send("a", "b");
            var container = scene.start(scene.container(properties, Map.of()));
            running.await();
            container.stop();
            container.getContainerProperties().setAckMode(AckMode.MANUAL);
            container.start();
            await().until(() -> !scene.deferrals.isEmpty()); // the next consumer has come to the first record
            restarted.countDown();

            scene.send("manual1", "manual2");
            scene.awaitCommitted(4);

            assertThat(scene.effects).containsExactly("a", "b", "manual1", "manual2");
        }
    }
}
