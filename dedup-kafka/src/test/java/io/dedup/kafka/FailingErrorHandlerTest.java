package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.kafka.listener.AcknowledgingMessageListener;
import org.springframework.kafka.listener.BatchListenerFailedException;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.util.backoff.FixedBackOff;

/** As when the dead-letter topic doesn't answer: spring-kafka logs it, and goes on behind what it had polled. */
@DisplayName("K17: what an error handler hasn't sought to, because it failed itself, is fetched again")
class FailingErrorHandlerTest {
    private final AtomicBoolean handlerFailed = new AtomicBoolean();

    private static final class FailsOnce extends DefaultErrorHandler {
        private final AtomicBoolean failed = new AtomicBoolean();

        FailsOnce() {
            super(new FixedBackOff(0, 3));
        }

        private void fail() {
            if (failed.compareAndSet(false, true)) {
                throw new IllegalStateException("the error handler fails");
            }
        }

        @Override
        public void handleRemaining(
                Exception thrown,
                List<ConsumerRecord<?, ?>> records,
                Consumer<?, ?> consumer,
                MessageListenerContainer container) {
            fail();
            super.handleRemaining(thrown, records, consumer, container);
        }

        @Override
        public void handleBatch(
                Exception thrown,
                ConsumerRecords<?, ?> data,
                Consumer<?, ?> consumer,
                MessageListenerContainer container,
                Runnable invokeListener) {
            fail();
            super.handleBatch(thrown, data, consumer, container, invokeListener);
        }
    }

    private void failOnce() {
        if (handlerFailed.compareAndSet(false, true)) {
            throw new IllegalStateException("the handler fails");
        }
    }

    private static void nothingIsLost(Object listener, Scene scene) {
        var container = scene.container(AckMode.BATCH, listener);
        FailsOnce errors = new FailsOnce();
        container.setCommonErrorHandler(errors);
        scene.send("a", "b");
        scene.start(container);
        await().until(errors.failed::get);
        scene.send("c"); // its commit passes what was dropped
        scene.awaitCommitted(3);
        assertThat(scene.effects).containsExactly("a", "b", "c");
    }

    @Test
    void records() {
        try (Scene scene = new Scene()) {
            MessageListener<String, String> listener = record -> {
                failOnce();
                scene.effect().accept(record);
            };
            nothingIsLost(listener, scene);
        }
    }

    @Test
    void batches() {
        try (Scene scene = new Scene()) {
            BatchMessageListener<String, String> listener = batch -> {
                failOnce();
                batch.forEach(scene.effect());
            };
            nothingIsLost(listener, scene);
        }
    }

    @Test
    @DisplayName("K17: the same with records that end later, and an error handler that is asked about one record")
    void recordsThatEndLater() {
        try (Scene scene = new Scene()) {
            AcknowledgingMessageListener<String, String> listener = (record, acknowledgment) -> {
                failOnce();
                scene.effect().accept(record);
                Objects.requireNonNull(acknowledgment).acknowledge();
            };
            var container = scene.container(AckMode.MANUAL, listener);
            container.getContainerProperties().setAsyncAcks(true);
            AtomicBoolean failed = new AtomicBoolean();
            container.setCommonErrorHandler(new CommonErrorHandler() {
                @Override
                public boolean handleOne(
                        Exception thrown,
                        ConsumerRecord<?, ?> record,
                        Consumer<?, ?> consumer,
                        MessageListenerContainer of) {
                    if (failed.compareAndSet(false, true)) {
                        throw new IllegalStateException("the error handler fails");
                    }
                    return false;
                }
            });
            scene.send("a", "b");
            scene.start(container);
            await().until(failed::get);
            scene.send("c");
            scene.awaitCommitted(3);
            assertThat(scene.effects).containsExactly("a", "b", "c");
        }
    }

    /** Gives the failed record up, and takes no care of those behind it. */
    private static class OnlyLogs implements CommonErrorHandler {
        @Override
        public boolean seeksAfterHandling() {
            return true;
        }

        @Override
        public void handleRemaining(
                Exception thrown,
                List<ConsumerRecord<?, ?>> records,
                Consumer<?, ?> consumer,
                MessageListenerContainer container) {}
    }

    @Test
    @DisplayName("K17: what stands behind a record that was given up without a seek is fetched again")
    void behindOneThatWasGivenUp() {
        try (Scene scene = new Scene()) {
            MessageListener<String, String> listener = record -> {
                failOnce();
                scene.effect().accept(record);
            };
            var container = scene.container(AckMode.BATCH, listener);
            container.setCommonErrorHandler(new OnlyLogs());
            scene.send("a", "b", "c");
            scene.start(container);
            await().until(handlerFailed::get);
            scene.send("d");
            scene.awaitCommitted(4);
            assertThat(scene.effects).containsExactly("b", "c", "d");
        }
    }

    @ParameterizedTest(name = "fixTxOffsets: {0}")
    @ValueSource(booleans = {false, true})
    @DisplayName("K17: what stands behind the named record of a batch that was given up is fetched again")
    void behindTheNamedOneOfABatch(boolean fixTxOffsets) {
        try (Scene scene = new Scene()) {
            BatchMessageListener<String, String> listener = batch -> {
                if (handlerFailed.compareAndSet(false, true)) {
                    throw new BatchListenerFailedException("for once", 0);
                }
                batch.forEach(scene.effect());
            };
            var container = scene.container(AckMode.BATCH, listener);
            container.getContainerProperties().setFixTxOffsets(fixTxOffsets);
            container.setCommonErrorHandler(new OnlyLogs() {
                @Override
                public void handleBatch(
                        Exception thrown,
                        ConsumerRecords<?, ?> data,
                        Consumer<?, ?> consumer,
                        MessageListenerContainer of,
                        Runnable invokeListener) {}
            });
            scene.send("a", "b", "c");
            scene.start(container);
            await().until(handlerFailed::get);
            scene.send("d");
            scene.awaitCommitted(4);
            assertThat(scene.effects).containsExactly("b", "c", "d");
        }
    }
}
