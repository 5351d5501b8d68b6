package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.kafka.listener.AcknowledgingConsumerAwareMessageListener;
import org.springframework.kafka.listener.AcknowledgingMessageListener;
import org.springframework.kafka.listener.BatchAcknowledgingConsumerAwareMessageListener;
import org.springframework.kafka.listener.BatchAcknowledgingMessageListener;
import org.springframework.kafka.listener.BatchConsumerAwareMessageListener;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ConsumerAwareMessageListener;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.support.Acknowledgment;

/** Every shape of listener in every ack mode: duplicates are acked unrun, and the offsets are committed. */
class AckModesTest {
    enum Shape {
        SIMPLE(false, false),
        ACKNOWLEDGING(true, false),
        CONSUMER_AWARE(false, false),
        ACKNOWLEDGING_CONSUMER_AWARE(true, false),
        BATCH_SIMPLE(false, true),
        BATCH_ACKNOWLEDGING(true, true),
        BATCH_CONSUMER_AWARE(false, true),
        BATCH_ACKNOWLEDGING_CONSUMER_AWARE(true, true),
        BATCH_CONSUMER_RECORDS(true, true);

        final boolean acks;
        final boolean batch;

        Shape(boolean acks, boolean batch) {
            this.acks = acks;
            this.batch = batch;
        }

        Object listener(Scene scene) {
            return switch (this) {
                case SIMPLE ->
                    (MessageListener<String, String>) record -> scene.effect().accept(record);
                case ACKNOWLEDGING ->
                    (AcknowledgingMessageListener<String, String>) (record, ack) -> {
                        scene.effect().accept(record);
                        acknowledge(ack);
                    };
                case CONSUMER_AWARE ->
                    (ConsumerAwareMessageListener<String, String>) (record, consumer) -> {
                        assertThat(consumer).isNotNull();
                        scene.effect().accept(record);
                    };
                case ACKNOWLEDGING_CONSUMER_AWARE ->
                    (AcknowledgingConsumerAwareMessageListener<String, String>) (record, ack, consumer) -> {
                        assertThat(consumer).isNotNull();
                        scene.effect().accept(record);
                        acknowledge(ack);
                    };
                case BATCH_SIMPLE -> (BatchMessageListener<String, String>) records -> records.forEach(scene.effect());
                case BATCH_ACKNOWLEDGING ->
                    (BatchAcknowledgingMessageListener<String, String>) (records, ack) -> {
                        records.forEach(scene.effect());
                        acknowledge(ack);
                    };
                case BATCH_CONSUMER_AWARE ->
                    (BatchConsumerAwareMessageListener<String, String>) (records, consumer) -> {
                        assertThat(consumer).isNotNull();
                        records.forEach(scene.effect());
                    };
                case BATCH_ACKNOWLEDGING_CONSUMER_AWARE ->
                    (BatchAcknowledgingConsumerAwareMessageListener<String, String>) (records, ack, consumer) -> {
                        assertThat(consumer).isNotNull();
                        records.forEach(scene.effect());
                        acknowledge(ack);
                    };
                case BATCH_CONSUMER_RECORDS -> new PollResultListener(scene);
            };
        }

        private static void acknowledge(@Nullable Acknowledgment ack) {
            if (ack != null) {
                ack.acknowledge();
            }
        }
    }

    private record PollResultListener(Scene scene)
            implements BatchAcknowledgingConsumerAwareMessageListener<String, String> {
        @Override
        public boolean wantsPollResult() {
            return true;
        }

        @Override
        public void onMessage(
                ConsumerRecords<String, String> records,
                @Nullable Acknowledgment ack,
                Consumer<String, String> consumer) {
            records.forEach(scene.effect());
            Shape.acknowledge(ack);
        }

        @Override
        public void onMessage(
                List<ConsumerRecord<String, String>> data,
                @Nullable Acknowledgment ack,
                @Nullable Consumer<?, ?> consumer) {
            throw new AssertionError("wants the poll's result");
        }
    }

    static Stream<Arguments> modesAndShapes() {
        return Stream.of(AckMode.values())
                .flatMap(mode -> Stream.of(Shape.values())
                        .filter(shape -> !(shape.batch && mode == AckMode.RECORD))
                        .map(shape -> Arguments.of(mode, shape)));
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("modesAndShapes")
    @DisplayName(
            "K1 K5 each shape in each ack mode: duplicates don't run, offsets are committed, a replay runs nothing")
    void duplicatesAreAckedUnrun(AckMode mode, Shape shape) {
        try (Scene scene = new Scene()) {
            boolean commits = shape.acks || (mode != AckMode.MANUAL && mode != AckMode.MANUAL_IMMEDIATE);
            scene.send("a", "b", "a", "c", "c");
            var container = scene.start(scene.container(mode, shape.listener(scene)));
            scene.awaitEffects("a", "b", "c");
            if (commits) {
                scene.awaitCommitted(5);
            }
            scene.send("b", "d", "d");
            scene.awaitEffects("a", "b", "c", "d");
            if (commits) {
                scene.awaitCommitted(8);
            } else {
                container.stop();
                scene.start(scene.container(mode, shape.listener(scene)));
                scene.send("e");
                scene.awaitEffects("a", "b", "c", "d", "e");
                assertThat(scene.committed()).as("nobody acknowledges").isEmpty();
            }
            assertThat(scene.deferrals).isEmpty();
        }
    }
}
