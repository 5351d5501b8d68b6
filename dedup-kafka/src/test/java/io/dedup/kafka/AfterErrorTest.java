package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.adapter.DedupAdapter;
import io.dedup.doubles.WatchedStore;
import io.dedup.kafka.internal.spring.PollResults;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.kafka.listener.AcknowledgingMessageListener;
import org.springframework.kafka.listener.BatchAcknowledgingMessageListener;
import org.springframework.kafka.listener.ContainerProperties.AckMode;

/** An {@code Error} after a claim and before the handler's call: the container stops, its process doesn't. */
class AfterErrorTest {
    private final WatchedStore watched = new WatchedStore(Scene.memory());
    private final AtomicBoolean armed = new AtomicBoolean();

    /** Fails once when it is asked for its offset after a claim. */
    private final class FailingRecord extends ConsumerRecord<String, String> {
        FailingRecord(ConsumerRecord<String, String> real) {
            super(real.topic(), real.partition(), real.offset(), real.key(), real.value());
            real.headers().forEach(headers()::add);
        }

        @Override
        public long offset() {
            if (armed != null && armed.compareAndSet(true, false)) { // null in the constructor of the superclass
                throw new OutOfMemoryError("for once");
            }
            return super.offset();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName(
            "K18 the claims are given back, not renewed until maxProcessingTime is over; the messages run once when the container starts again")
    void claimsAreGivenBack(boolean batch) {
        try (Scene scene = new Scene(watched.store, 1, policy -> policy)) {
            scene.claimAhead(false);
            scene.send("a", "b");
            var container = batch
                    ? scene.container(
                            AckMode.MANUAL, (BatchAcknowledgingMessageListener<String, String>) (records, ack) -> {
                                records.forEach(scene.effect());
                                ack.acknowledge();
                            })
                    : scene.container(AckMode.MANUAL, (AcknowledgingMessageListener<String, String>) (record, ack) -> {
                        scene.effect().accept(record);
                        ack.acknowledge();
                    });
            container.setRecordInterceptor((record, consumer) -> new FailingRecord(record));
            container.setBatchInterceptor((records, consumer) -> failing(records));
            AtomicBoolean first = new AtomicBoolean(true);
            watched.before("claim", () -> armed.set(first.getAndSet(false)));
            scene.start(container);
            await().until(() -> !container.isRunning());
            assertThat(scene.effects).isEmpty();
            await().until(() -> DedupAdapter.of(scene.dedup).inFlight() == 0);

            container.start();
            scene.awaitCommitted(2);
            assertThat(scene.effects).containsExactly("a", "b");
        }
    }

    private ConsumerRecords<String, String> failing(ConsumerRecords<String, String> records) {
        var partition = records.partitions().iterator().next();
        return PollResults.of(Map.of(
                partition,
                records.records(partition).stream()
                        .map(record -> (ConsumerRecord<String, String>) new FailingRecord(record))
                        .toList()));
    }
}
