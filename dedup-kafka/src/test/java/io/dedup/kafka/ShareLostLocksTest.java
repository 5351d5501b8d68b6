package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.common.KafkaException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.kafka.listener.AcknowledgingShareConsumerAwareMessageListener;
import org.springframework.kafka.listener.ContainerProperties.ShareAckMode;
import org.springframework.kafka.listener.MessageListener;

/** A share group's consumer that loses the locks of its records while a handler runs. */
class ShareLostLocksTest {
    private final List<String> calls = new CopyOnWriteArrayList<>();
    private final CountDownLatch lost = new CountDownLatch(1);

    @Test
    @DisplayName("a record that its consumer counted as lost, and that comes back, is handled before it is accepted")
    void comesBack() {
        try (ShareScene group = new ShareScene(new Scene())) {
            group.scene.send("slow", "behind");
            AtomicBoolean failed = new AtomicBoolean();
            AcknowledgingShareConsumerAwareMessageListener<String, String> listener = (record, ack, consumer) -> {
                if (Scene.id(record).equals("slow")) {
                    ack.renew(); // the container passes it on when the poll's records have had their turn
                    Uninterrupted.await(lost);
                }
                group.scene.effects.add(Scene.id(record));
                ack.acknowledge();
            };
            var container = group.start(group.container(ShareAckMode.MANUAL, listener, (method, arguments) -> {
                boolean takesBack = method.equals("poll") && arguments[0].equals(Duration.ZERO);
                if (takesBack && failed.compareAndSet(false, true)) {
                    lost.countDown();
                    throw new KafkaException("for once: the renewed records aren't returned");
                }
            }));
            await().until(() -> !container.isInExpectedState());
            container.stop();
            container.start();
            group.awaitSettled();
            assertThat(group.scene.effects).containsExactly("slow", "behind");
        }
    }

    @Test
    @DisplayName(
            "a consumer that lost its locks fetches nothing while its handler runs: it could only let deliveries run out")
    void fetchesNothing() {
        try (ShareScene group = new ShareScene(new Scene())) {
            group.scene.send("slow", "behind");
            CountDownLatch handledElsewhere = new CountDownLatch(1);
            AtomicBoolean late = new AtomicBoolean();
            MessageListener<String, String> slow = record -> {
                if (Scene.id(record).equals("slow")) {
                    Uninterrupted.await(handledElsewhere);
                }
                group.scene.effects.add(Scene.id(record));
            };
            long begin = System.nanoTime();
            group.start(group.container(ShareAckMode.EXPLICIT, slow, (method, arguments) -> {
                if (method.equals("commitSync") && late.compareAndSet(false, true)) {
                    await().until(() -> System.nanoTime() - begin
                            > ShareScene.LOCK.multipliedBy(2).toNanos());
                    lost.countDown(); // the locks are over, and the renewal will be refused
                }
            }));
            Uninterrupted.await(lost);
            await().pollDelay(ShareScene.LOCK.dividedBy(4)).until(() -> true); // it would fetch meanwhile
            group.start(group.elsewhere(ShareAckMode.EXPLICIT, (MessageListener<String, String>) record -> {
                calls.add(Scene.id(record) + " " + record.deliveryCount().orElseThrow());
                group.scene.effects.add(Scene.id(record));
                handledElsewhere.countDown();
            }));
            group.awaitSettled();
            assertThat(calls).containsExactly("behind 2");
            assertThat(group.scene.effects).containsExactly("behind", "slow");
        }
    }
}
