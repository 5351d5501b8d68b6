package io.dedup.rocketmq.internal.ack;

import io.dedup.rocketmq.internal.broker.BrokerRequests;
import io.dedup.rocketmq.internal.broker.BrokerRequests.Answer;
import io.dedup.rocketmq.internal.open.OpenMessage;
import io.dedup.rocketmq.internal.open.OpenMessages;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Answers the broker about open messages: acknowledges them, or returns them for redelivery. With its answer a message
 * is no longer open, and the turn of the next one in its message group begins. Thread-safe.
 */
public final class Acknowledgments {
    private static final Duration AT_ONCE = Duration.ofSeconds(1);
    /** So long a message that waits to be returned is invisible at a time: should it never be, others wait no longer for it. */
    private static final Duration LONG_ENOUGH = Duration.ofSeconds(10);

    private static final int RENEW_AT = 3;

    private final OpenMessages open;
    private final BrokerRequests broker;
    private final RetryDelay retryDelay;
    private final Consumer<OpenMessage> onTurn;
    private final Runnable whenOver;
    private final Duration invisibleDuration;

    /**
     * Creates the one of a loop.
     *
     * @param invisibleDuration for which a message stays invisible while it waits to be returned
     * @param onTurn called once for each message that had to wait in its message group, when its turn has come
     * @param whenOver called, possibly more than once, when the loop stops and no message is open
     */
    public Acknowledgments(
            OpenMessages open,
            BrokerRequests broker,
            RetryDelay retryDelay,
            Duration invisibleDuration,
            Consumer<OpenMessage> onTurn,
            Runnable whenOver) {
        this.open = open;
        this.broker = broker;
        this.retryDelay = retryDelay;
        this.invisibleDuration = invisibleDuration;
        this.onTurn = onTurn;
        this.whenOver = whenOver;
    }

    /** The message's effect has happened: acknowledges the message and its copies. */
    public void acknowledge(OpenMessage message) {
        close(() -> open.close(message), all -> all.forEach(each -> broker.acknowledge(each.received())));
    }

    /**
     * The message failed: the broker redelivers it after the retry delay, and with it the messages behind it in its
     * message group.
     */
    public void retryLater(OpenMessage message) {
        redeliver(() -> open.closeFailed(message), retryDelay.of(message.view()));
    }

    /**
     * The message wasn't handled: the broker redelivers it, and with it the messages behind it in its message group.
     */
    public void giveBack(OpenMessage message, Duration delay) {
        redeliver(() -> open.closeUnhandled(message), delay);
    }

    /** As {@link #giveBack}, as soon as the broker can. */
    public void giveBackAtOnce(OpenMessage message) {
        giveBack(message, AT_ONCE);
    }

    /** Returns messages that were received while the loop was stopping. */
    public void refuse(List<OpenMessage> received) {
        received.forEach(message -> broker.redeliverAfter(message.received(), AT_ONCE));
    }

    /** Stops receiving, and returns the messages whose handlers haven't started. */
    public void stop() {
        open.stop().forEach(this::giveBackAtOnce);
        endIfOver();
    }

    private void redeliver(Supplier<List<OpenMessage>> close, Duration delay) {
        close(close, all -> {
            open.returned(all, delay);
            for (OpenMessage each : all) {
                each.giveBackUnstartedClaim(); // before another consumer receives the message
                redeliverAfter(each, delay);
            }
        });
    }

    private void close(Supplier<List<OpenMessage>> close, Consumer<List<OpenMessage>> answer) {
        broker.counting(() -> {
            List<OpenMessage> closed = close.get();
            try {
                answer.accept(closed);
            } finally { // after an Error too: what is closed must not hold up its message group
                afterClose(closed);
            }
        });
    }

    private void redeliverAfter(OpenMessage message, Duration delay) {
        CompletableFuture<Void> received = open.received();
        if (received.isDone()) {
            broker.redeliverAfter(message.received(), delay);
            return;
        }
        Duration atLeast = invisibleDuration.compareTo(LONG_ENOUGH) < 0 ? invisibleDuration : LONG_ENOUGH;
        stayInvisible(message, delay.compareTo(atLeast) > 0 ? delay : atLeast, received);
        broker.awaitAlso(received.thenRun(() -> {
            open.returned(List.of(message), delay);
            broker.redeliverAfter(message.received(), delay);
        }));
    }

    private void stayInvisible(OpenMessage message, Duration time, CompletableFuture<Void> until) {
        if (!until.isDone()) {
            Executor later = CompletableFuture.delayedExecutor(time.toMillis() / RENEW_AT, TimeUnit.MILLISECONDS);
            CompletableFuture<Void> unused = broker.renewInvisibleTime(message.received(), time, until::isDone)
                    .thenAccept(answer -> {
                        if (answer != Answer.REFUSED) {
                            later.execute(() -> stayInvisible(message, time, until));
                        }
                    });
        }
    }

    private void afterClose(List<OpenMessage> closed) {
        open.startTurnsBehind(closed).forEach(onTurn);
        endIfOver();
    }

    private void endIfOver() {
        if (open.isOver()) {
            whenOver.run();
        }
    }
}
