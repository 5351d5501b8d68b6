package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupScope;
import io.dedup.DedupStoreException;
import io.dedup.doubles.WatchedStore;
import io.dedup.store.StoredRecord.State;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.kafka.listener.AcknowledgingMessageListener;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.MessageListener;

/** D10: a store that answers claims again, and doesn't know yet what this process has handled meanwhile. */
class CopyAfterOutageTest {
    private final WatchedStore watched = new WatchedStore(Scene.memory());
    private final AtomicBoolean claimsFail = new AtomicBoolean();
    private final AtomicBoolean writesFail = new AtomicBoolean();

    private void failWhile(AtomicBoolean condition, List<String> operations) {
        for (String operation : operations) {
            watched.before(operation, () -> {
                if (condition.get()) {
                    throw new DedupStoreException("down", null);
                }
            });
        }
    }

    private Object listener(Scene scene, AckMode mode, boolean batch, CountDownLatch handled) {
        if (batch) {
            return (BatchMessageListener<String, String>) records -> {
                claimsFail.set(true);
                writesFail.set(true);
                records.forEach(scene.effect());
                handled.countDown();
            };
        }
        if (mode == AckMode.MANUAL) {
            return (AcknowledgingMessageListener<String, String>) (record, ack) -> {
                claimsFail.set(true);
                writesFail.set(true);
                scene.effect().accept(record);
                ack.acknowledge();
                handled.countDown();
            };
        }
        return (MessageListener<String, String>) record -> {
            claimsFail.set(true);
            writesFail.set(true);
            scene.effect().accept(record);
            handled.countDown();
        };
    }

    @ParameterizedTest(name = "{0} batch={1} ahead={2} consumers={3}")
    @CsvSource({
        "BATCH,false,true,2",
        "BATCH,false,false,2",
        "BATCH,false,true,1",
        "RECORD,false,true,2",
        "MANUAL,false,true,2",
        "BATCH,true,false,2",
        "BATCH,true,false,1"
    })
    @DisplayName("D10 after an outage that was longer than the lease a copy of what was handled meanwhile doesn't run")
    void copyAfterAnOutage(AckMode mode, boolean batch, boolean ahead, int consumers) throws Exception {
        try (Scene scene = new Scene(watched.store, 2, policy -> policy)) {
            scene.closeLater(() -> {
                claimsFail.set(false);
                writesFail.set(false);
            });
            scene.claimAhead(ahead);
            failWhile(claimsFail, List.of("claim"));
            failWhile(writesFail, List.of("complete", "renew", "release"));
            CountDownLatch handled = new CountDownLatch(1);
            var container = scene.container(mode, listener(scene, mode, batch, handled));
            container.setConcurrency(consumers);
            scene.start(container);
            scene.sendTo(0, "a");
            handled.await();
            scene.sendTo(1, "a");
            var key = DedupScope.of(scene.group, scene.topic).key("a");
            // The lease is over; the store answers claims before it learns of the success.
            await().until(() -> watched.store.find(key).orElseThrow().state() == State.ABANDONED);
            claimsFail.set(false);

            scene.awaitAllCommitted();
            assertThat(scene.effects).containsExactly("a");
            writesFail.set(false);
            await().until(() -> watched.store.find(key).orElseThrow().state() == State.DONE);
            assertThat(scene.effects).containsExactly("a");
        }
    }
}
