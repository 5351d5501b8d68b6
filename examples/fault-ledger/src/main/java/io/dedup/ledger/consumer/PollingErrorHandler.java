package io.dedup.ledger.consumer;

import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.MessageListenerContainer;

/**
 * Polls before another error handler decides, with nothing paused, and drops what that brings. It doesn't learn of
 * partitions that arrive meanwhile. Plain spring-kafka loses messages with it.
 */
final class PollingErrorHandler implements CommonErrorHandler {
    private static final int POLLS = 5;
    private static final Duration POLL = Duration.ofMillis(20);

    private final CommonErrorHandler handler;

    PollingErrorHandler(CommonErrorHandler handler) {
        this.handler = handler;
    }

    private static void poll(Consumer<?, ?> consumer) {
        for (int i = 0; i < POLLS; i++) {
            ConsumerRecords<?, ?> unused = consumer.poll(POLL);
        }
    }

    @Override
    public boolean seeksAfterHandling() {
        return handler.seeksAfterHandling();
    }

    @Override
    public void handleRemaining(
            Exception thrown,
            List<ConsumerRecord<?, ?>> records,
            Consumer<?, ?> consumer,
            MessageListenerContainer container) {
        poll(consumer);
        handler.handleRemaining(thrown, records, consumer, container);
    }

    @Override
    public void handleBatch(
            Exception thrown,
            ConsumerRecords<?, ?> data,
            Consumer<?, ?> consumer,
            MessageListenerContainer container,
            Runnable invokeListener) {
        poll(consumer);
        handler.handleBatch(thrown, data, consumer, container, invokeListener);
    }

    @Override
    public void handleOtherException(
            Exception thrown, Consumer<?, ?> consumer, MessageListenerContainer container, boolean batchListener) {
        handler.handleOtherException(thrown, consumer, container, batchListener);
    }

    @Override
    public boolean isAckAfterHandle() {
        return handler.isAckAfterHandle();
    }
}
