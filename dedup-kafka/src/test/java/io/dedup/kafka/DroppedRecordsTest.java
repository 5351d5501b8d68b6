package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.adapter.DedupAdapter;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.listener.AcknowledgingMessageListener;
import org.springframework.kafka.listener.BatchAcknowledgingMessageListener;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AckMode;

/** K18: records that a handler drops when its consumer stops or loses the partition: it never acknowledges them. */
@Order(1) // takes long
class DroppedRecordsTest {
    private static final Duration LEASE = Duration.ofMillis(400);

    private final List<WeakReference<ConsumerRecord<?, ?>>> records = new CopyOnWriteArrayList<>();

    enum Shape {
        MANUAL_RECORDS,
        MANUAL_BATCHES,
        ASYNC_ACKS,
        FUTURES
    }

    final class Futures {
        private final Scene scene;

        Futures(Scene scene) {
            this.scene = scene;
        }

        @KafkaListener(id = "futures", groupId = "${group}", topics = "${topic}")
        CompletableFuture<Void> on(ConsumerRecord<String, String> record) {
            drop(scene, record);
            return new CompletableFuture<>();
        }
    }

    private void drop(Scene scene, ConsumerRecord<String, String> record) {
        records.add(new WeakReference<>(record));
        scene.effect().accept(record);
    }

    /** A listener that drops all that it is given; what stops it. */
    private Runnable start(Scene scene, Shape shape, Map<String, Object> settings) {
        if (shape == Shape.FUTURES) {
            AnnotatedScene annotated = new AnnotatedScene(scene);
            annotated.consumer.putAll(settings);
            var context = annotated.start(new Futures(scene));
            return context::close;
        }
        Object listener = shape == Shape.MANUAL_BATCHES
                ? (BatchAcknowledgingMessageListener<String, String>)
                        (batch, ack) -> batch.forEach(record -> drop(scene, record))
                : (AcknowledgingMessageListener<String, String>) (record, ack) -> drop(scene, record);
        ContainerProperties properties = scene.properties(AckMode.MANUAL, listener);
        properties.setAsyncAcks(shape == Shape.ASYNC_ACKS);
        var container = scene.start(scene.container(properties, settings));
        return container::stop;
    }

    private void awaitNothingHeld() {
        await().until(() -> {
            System.gc();
            return records.stream().allMatch(record -> record.get() == null);
        });
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("K18 the claims of a stopped consumer end with their leases, and the records come again")
    void claimsEnd(Shape shape) {
        try (Scene scene = new Scene(policy -> policy.lease(LEASE).maxProcessingTime(LEASE.multipliedBy(2)))) {
            scene.send("a", "b");
            Runnable stop = start(scene, shape, Map.of());
            scene.awaitEffects("a", "b");
            stop.run();
            await().until(() -> DedupAdapter.of(scene.dedup).inFlight() == 0);

            start(scene, Shape.MANUAL_RECORDS, Map.of());
            scene.awaitEffects("a", "b", "a", "b");
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("K18 the claims of a stopped consumer are renewed without their payloads")
    void stopped(Shape shape) {
        try (Scene scene = new Scene(policy -> policy.lease(LEASE))) {
            scene.send("a", "b");
            Runnable stop = start(scene, shape, Map.of());
            scene.awaitEffects("a", "b");
            stop.run();
            awaitNothingHeld();
            assertThat(DedupAdapter.of(scene.dedup).inFlight()).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("K18 so are those of a consumer that lost the partition and goes on")
    void lostPartition(Shape shape) {
        try (Scene scene = new Scene(2, policy -> policy.lease(LEASE).maxProcessingTime(LEASE.multipliedBy(20)))) {
            scene.sendTo(0, "a");
            scene.sendTo(0, "b");
            start(scene, shape, TakeOverAssignor.ranked(1));
            scene.awaitEffects("a", "b");
            try (var unused = scene.takeOver()) {
                awaitNothingHeld();
                await().until(() -> DedupAdapter.of(scene.dedup).inFlight() == 0);
            }
        }
    }
}
