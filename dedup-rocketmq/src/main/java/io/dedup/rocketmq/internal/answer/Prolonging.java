package io.dedup.rocketmq.internal.answer;

import io.dedup.rocketmq.internal.broker.BrokerOrders;
import io.dedup.rocketmq.internal.broker.BrokerOrders.Answer;
import io.dedup.rocketmq.internal.open.OpenMessage;
import io.dedup.rocketmq.internal.open.OpenMessages;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps a loop's messages from coming again, as long as their handlers may run. To be run again and again. */
public final class Prolonging implements Runnable {
    private static final Logger log = LoggerFactory.getLogger("io.dedup.rocketmq.SimpleConsumerLoop");

    private final OpenMessages open;
    private final BrokerOrders broker;
    private final Duration invisible;
    private final Executor background;

    /** @param background for calls of the store, which the client's threads had better not wait for */
    public Prolonging(OpenMessages open, BrokerOrders broker, Duration invisible, Executor background) {
        this.open = open;
        this.broker = broker;
        this.invisible = invisible;
        this.background = background;
    }

    @Override
    public void run() {
        try {
            long now = System.nanoTime();
            open.releaseBehindOverdue(now);
            open.toProlong(now, invisible.dividedBy(3)).forEach(message -> prolong(message, now));
        } catch (RuntimeException | Error e) { // or it would never be called again
            log.error("Messages couldn't be kept invisible", e);
        }
    }

    private void prolong(OpenMessage message, long now) {
        message.extendedAt = now;
        CompletableFuture<Void> unused = broker.hide(message, invisible).thenAccept(answer -> {
            if (answer == Answer.FAILED) {
                message.extendedAt = now - invisible.toNanos(); // so the next time again
            } else if (answer == Answer.REFUSED) {
                message.gone = true; // somebody else gets it now, maybe we ourselves
                inBackground(() -> open.giveBack(message, OpenMessages.AT_ONCE));
            }
        });
    }

    private void inBackground(Runnable task) {
        try {
            background.execute(task);
        } catch (RejectedExecutionException e) {
            log.debug("the loop is over, and nothing waits for this any more", e);
        }
    }
}
