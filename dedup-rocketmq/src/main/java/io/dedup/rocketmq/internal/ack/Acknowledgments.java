package io.dedup.rocketmq.internal.ack;

import io.dedup.rocketmq.internal.broker.BrokerRequests;
import io.dedup.rocketmq.internal.open.OpenMessage;
import io.dedup.rocketmq.internal.open.OpenMessages;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Answers the broker about open messages: acknowledges them, or has them redelivered. With each answer a message is open no
 * longer, and the next one of its message group has its turn. Thread-safe.
 */
public final class Acknowledgments {
    private static final Duration AT_ONCE = Duration.ofSeconds(1);

    private final OpenMessages open;
    private final BrokerRequests broker;
    private final RetryDelay retryDelay;
    private final Consumer<OpenMessage> onTurn;
    private final Runnable whenOver;

    /**
     * Answers for the messages of one loop.
     *
     * @param onTurn is given each message that had to wait in its message group, once, when it is its turn
     * @param whenOver runs, maybe more than once, when the loop stops and nothing is open
     */
    public Acknowledgments(
            OpenMessages open,
            BrokerRequests broker,
            RetryDelay retryDelay,
            Consumer<OpenMessage> onTurn,
            Runnable whenOver) {
        this.open = open;
        this.broker = broker;
        this.retryDelay = retryDelay;
        this.onTurn = onTurn;
        this.whenOver = whenOver;
    }

    /** The message's effect has happened: acknowledges it, and its copies. */
    public void acknowledge(OpenMessage message) {
        List<OpenMessage> closed = broker.counting(() -> {
            List<OpenMessage> all = open.close(message);
            all.forEach(each -> broker.acknowledge(each.received()));
            return all;
        });
        afterClose(closed);
    }

    /** The message failed: has it redelivered after the retry delay, and with it what is behind it in its message group. */
    public void retryLater(OpenMessage message) {
        redeliver(() -> open.closeFailed(message), retryDelay.of(message.view()));
    }

    /** Nothing has happened: has the message redelivered, and with it what is behind it in its message group. */
    public void giveBack(OpenMessage message, Duration delay) {
        redeliver(() -> open.closeUnhandled(message), delay);
    }

    /** The same, as soon as the broker can. */
    public void giveBackAtOnce(OpenMessage message) {
        giveBack(message, AT_ONCE);
    }

    /** Gives back what was received while the loop was stopping. */
    public void refuse(List<OpenMessage> received) {
        received.forEach(message -> broker.redeliverAfter(message.received(), AT_ONCE));
    }

    /** Receives no more, and gives back what no handler has started. */
    public void stop() {
        open.stop().forEach(this::giveBackAtOnce);
        endIfOver();
    }

    private void redeliver(Supplier<List<OpenMessage>> close, Duration delay) {
        List<OpenMessage> closed = broker.counting(() -> {
            List<OpenMessage> all = close.get();
            for (OpenMessage each : all) {
                each.giveBackUnstartedClaim(); // before somebody else receives the message
                broker.redeliverAfter(each.received(), delay);
            }
            return all;
        });
        afterClose(closed);
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
