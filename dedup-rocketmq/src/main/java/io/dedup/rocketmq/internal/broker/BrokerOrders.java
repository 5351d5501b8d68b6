package io.dedup.rocketmq.internal.broker;

import io.dedup.internal.Printable;
import io.dedup.rocketmq.internal.listener.MessageDeliveries;
import io.dedup.rocketmq.internal.open.OpenMessage;
import io.dedup.rocketmq.internal.open.OpenMessage.State;
import io.dedup.rocketmq.internal.thread.Monitor;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.rocketmq.client.apis.consumer.SimpleConsumer;
import org.apache.rocketmq.client.java.exception.BadRequestException;
import org.apache.rocketmq.client.java.message.MessageViewImpl;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is asked of the broker about a message. Each order waits for the answer to the one before, which may have brought
 * a new receipt handle. An order that fails loses nothing: the message comes again when its invisible time is over, and by
 * then the store knows whether it is done. Thread-safe.
 */
public final class BrokerOrders {
    /** How the broker has answered. */
    public enum Answer {
        OBEYED,
        /** It may obey the next time. */
        FAILED,
        /** The invisible time is over, or the order was wrong: the message isn't ours any more. */
        REFUSED
    }

    private static final Logger log = LoggerFactory.getLogger("io.dedup.rocketmq.SimpleConsumerLoop");
    private static final int ACK_ATTEMPTS = 3;
    private static final Executor LATER = CompletableFuture.delayedExecutor(200, TimeUnit.MILLISECONDS);

    private static final String KEEP = "keep";

    private final SimpleConsumer consumer;
    private final Monitor monitor = new Monitor();
    private int unanswered;
    private int failed;

    public BrokerOrders(SimpleConsumer consumer) {
        this.consumer = consumer;
    }

    /** Acks, if need be by several attempts. */
    public void ack(OpenMessage message) {
        ack(message, 1);
    }

    private void ack(OpenMessage message, int attempt) {
        count(1); // also between two attempts
        CompletableFuture<Void> unused = order(message, "ack", () -> consumer.ackAsync(message.view))
                .thenAccept(answer -> {
                    if (answer == Answer.FAILED && attempt < ACK_ATTEMPTS) {
                        LATER.execute(() -> {
                            ack(message, attempt + 1);
                            count(-1);
                        });
                    } else {
                        count(-1);
                    }
                });
    }

    /** Counts as an order, from its beginning, what will give orders. */
    public <T> T during(Supplier<T> work) {
        count(1);
        try {
            return work.get();
        } finally {
            count(-1);
        }
    }

    /** Gives the message back: it comes again after the delay. */
    public void showIn(OpenMessage message, Duration delay) {
        CompletableFuture<Answer> unused = change(message, "give back", delay);
    }

    /** Prolongs the invisible time, from now on. */
    public CompletableFuture<Answer> hide(OpenMessage message, Duration time) {
        return change(message, KEEP, time);
    }

    private CompletableFuture<Answer> change(OpenMessage message, String what, Duration time) {
        return order(message, what, () -> {
            if (message.state == State.CLOSED && what.equals(KEEP)) {
                return CompletableFuture.completedFuture(null); // it was given back, or acked, meanwhile
            }
            String handle = message.view instanceof MessageViewImpl view ? view.getReceiptHandle() : null;
            return consumer.changeInvisibleDurationAsync(message.view, time).whenComplete((nothing, problem) -> {
                // The client takes the new handle from a refusal, too, which has none.
                if (problem != null && handle != null && message.view instanceof MessageViewImpl view) {
                    view.setReceiptHandle(handle);
                }
            });
        });
    }

    private CompletableFuture<Answer> order(OpenMessage message, String what, Supplier<CompletableFuture<Void>> call) {
        count(1);
        CompletableFuture<Answer> mine = new CompletableFuture<>();
        CompletableFuture<?> before = message.lastOrder.getAndSet(mine);
        CompletableFuture<Void> unused = before.thenCompose(nothing -> call(call))
                .whenComplete((none, problem) -> {
                    Answer answer = problem == null ? Answer.OBEYED : answer(message, what, problem);
                    count(-1);
                    mine.complete(answer);
                });
        return mine;
    }

    private Answer answer(OpenMessage message, String what, Throwable problem) {
        Throwable cause = problem;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        log.warn(
                "The broker couldn't be told to {} {}: {}. It will come again, and be acked if it is done",
                what,
                MessageDeliveries.origin(message.view),
                Printable.ofException(cause));
        log.debug("The broker couldn't be told", cause);
        monitor.with(() -> ++failed);
        boolean isFinal = cause instanceof BadRequestException || cause instanceof IllegalStateException; // closed
        return isFinal ? Answer.REFUSED : Answer.FAILED;
    }

    private static CompletableFuture<Void> call(Supplier<CompletableFuture<Void>> call) {
        try {
            return call.get();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** How many orders have failed so far. */
    public int failed() {
        return monitor.with(() -> failed);
    }

    /** Waits until the broker has answered every order. */
    public void awaitAnswers(Duration longest) {
        monitor.await(longest, () -> unanswered == 0);
    }

    private void count(int change) {
        monitor.with(() -> {
            unanswered += change;
            monitor.changed();
            return unanswered;
        });
    }
}
