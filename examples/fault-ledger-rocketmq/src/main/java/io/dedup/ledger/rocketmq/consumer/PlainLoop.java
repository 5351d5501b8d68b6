package io.dedup.ledger.rocketmq.consumer;

import io.dedup.ledger.rocketmq.plan.Circumstances;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.apache.rocketmq.client.apis.ClientException;
import org.apache.rocketmq.client.apis.consumer.SimpleConsumer;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What people write around a simple consumer: receive, handle, acknowledge. */
final class PlainLoop implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(PlainLoop.class);
    private static final long RETRY_MILLIS = 200;

    private final SimpleConsumer consumer;
    private final Circumstances circumstances;
    private final Consumer<MessageView> handler;
    private volatile boolean closed;

    PlainLoop(SimpleConsumer consumer, Circumstances circumstances, Consumer<MessageView> handler) {
        this.consumer = consumer;
        this.circumstances = circumstances;
        this.handler = handler;
        Thread thread = new Thread(this::loop, "plain-loop");
        thread.setDaemon(true);
        thread.start();
    }

    private void loop() {
        while (!closed) {
            try {
                for (MessageView message : consumer.receive(circumstances.batch(), circumstances.invisible())) {
                    handle(message);
                }
            } catch (ClientException | RuntimeException e) {
                log.debug("receiving", e);
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(RETRY_MILLIS));
            }
        }
    }

    private void handle(MessageView message) throws ClientException {
        try {
            handler.accept(message);
        } catch (RuntimeException e) {
            consumer.changeInvisibleDuration(message, Duration.ofMillis(RETRY_MILLIS));
            return;
        }
        consumer.ack(message);
    }

    @Override
    public void close() {
        closed = true;
    }
}
