package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupOutcome.DeferReason;
import io.dedup.DedupStoreException;
import io.dedup.doubles.WatchedStore;
import io.dedup.policy.OnStoreFailure;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.listener.AcknowledgingMessageListener;
import org.springframework.kafka.listener.BatchAcknowledgingMessageListener;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.MessageListener;

/** Containers that run when what deduplicates for them has been closed: a wrong order, which nothing may be lost in. */
class ClosedFirstTest {
    /** What a closed deduplicator asks for. */
    private static final Duration DELAY = Duration.ofSeconds(1);

    private static AbstractMessageListenerContainer<?, ?> container(Scene scene, String shape) {
        return switch (shape) {
            case "RECORD" -> scene.container(AckMode.BATCH, (MessageListener<String, String>) scene.effect()::accept);
            case "MANUAL" ->
                scene.container(AckMode.MANUAL, (AcknowledgingMessageListener<String, String>) (record, ack) -> {
                    scene.effect().accept(record);
                    ack.acknowledge();
                });
            case "BATCH_LISTENER" ->
                scene.container(AckMode.BATCH, (BatchMessageListener<String, String>)
                        records -> records.forEach(scene.effect()));
            case "MANUAL_BATCH_LISTENER" ->
                scene.container(AckMode.MANUAL, (BatchAcknowledgingMessageListener<String, String>) (records, ack) -> {
                    records.forEach(scene.effect());
                    ack.acknowledge();
                });
            case "KAFKA_TRANSACTION" ->
                new Transactions(scene)
                        .container(AckMode.BATCH, (MessageListener<String, String>) scene.effect()::accept);
            default -> throw new AssertionError(shape);
        };
    }

    @ParameterizedTest
    @CsvSource({
        "RECORD, true",
        "RECORD, false",
        "MANUAL, true",
        "MANUAL, false",
        "BATCH_LISTENER, false",
        "MANUAL_BATCH_LISTENER, false",
        "KAFKA_TRANSACTION, false"
    })
    @DisplayName("R9 a deduplicator closed before the container: nothing runs, and each deferral waits for its delay")
    void delays(String shape, boolean claimAhead) {
        try (Scene scene = new Scene()) {
            scene.claimAhead(claimAhead);
            var container = container(scene, shape);
            scene.start(container);
            scene.send("a");
            scene.awaitCommitted(1);
            scene.kafka.close();
            scene.dedup.close();

            long start = System.nanoTime();
            scene.send("b", "c");
            await().pollInterval(Duration.ofMillis(10))
                    .until(() -> scene.deferrals.stream()
                                    .filter(("b " + DeferReason.CLOSED)::equals)
                                    .count()
                            >= 3);

            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(DELAY.multipliedBy(2));
            container.stop();
            assertThat(scene.effects).containsExactly("a");
            assertThat(scene.committed()).containsEntry(0, 1L);
        }
    }

    @Test
    @DisplayName(
            "R9 only KafkaDedup is closed: a container that would be paused waits in place until the store answers")
    void pauses() {
        WatchedStore watched = new WatchedStore(Scene.memory());
        AtomicBoolean down = new AtomicBoolean();
        watched.before("claim", () -> {
            if (down.get()) {
                throw new DedupStoreException("down", null);
            }
        });
        try (Scene scene = new Scene(
                watched.store,
                1,
                policy -> policy.onStoreFailure(OnStoreFailure.PAUSE).maxDeferDelay(DELAY))) {
            var container = scene.start(container(scene, "RECORD"));
            scene.send("a");
            scene.awaitCommitted(1);
            scene.kafka.close();
            down.set(true);

            long start = System.nanoTime();
            scene.send("b");
            await().pollInterval(Duration.ofMillis(10)).until(() -> scene.deferrals.size() >= 3);

            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(DELAY.multipliedBy(2));
            assertThat(container.isPauseRequested()).isFalse();
            down.set(false);
            scene.awaitEffects("a", "b");
            scene.awaitCommitted(2);
        }
    }
}
