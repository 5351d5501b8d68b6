package io.dedup.rocketmq.internal.broker;

import io.dedup.rocketmq.internal.thread.ConditionLock;
import io.dedup.text.Causes;
import io.dedup.text.Printable;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.rocketmq.client.apis.consumer.SimpleConsumer;
import org.apache.rocketmq.client.java.exception.BadRequestException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends a loop's requests about its messages to the broker. Each request waits for the answer to the previous one about
 * the same message, because that may have brought a new receipt handle. A failed request loses nothing: the broker
 * redelivers the message when its invisible time is over, and by then the store knows whether it is done. Thread-safe.
 */
public final class BrokerRequests {
    /** The broker's answer. */
    public enum Answer {
        GRANTED,
        /** The broker may grant the next request. */
        FAILED,
        /** The invisible time is over, or the request was invalid: the message no longer belongs to this loop. */
        REFUSED
    }

    private static final Logger log = LoggerFactory.getLogger("io.dedup.rocketmq.SimpleConsumerLoop");
    private static final int ACK_ATTEMPTS = 3;
    private static final Executor LATER = CompletableFuture.delayedExecutor(200, TimeUnit.MILLISECONDS);

    private final SimpleConsumer consumer;
    private final ConditionLock lock = new ConditionLock();
    private int unanswered;
    private int failed;

    public BrokerRequests(SimpleConsumer consumer) {
        this.consumer = consumer;
    }

    /** Acknowledges the message, with several attempts if necessary. */
    public void acknowledge(ReceivedMessage message) {
        acknowledge(message, 1);
    }

    private void acknowledge(ReceivedMessage message, int attempt) {
        count(1); // includes the time between two attempts
        CompletableFuture<Void> unused = request(message, "acknowledge", () -> consumer.ackAsync(message.view()))
                .thenAccept(answer -> {
                    if (answer == Answer.FAILED && attempt < ACK_ATTEMPTS) {
                        LATER.execute(() -> {
                            acknowledge(message, attempt + 1);
                            count(-1);
                        });
                    } else {
                        count(-1);
                    }
                });
    }

    /** Counts the work as an unanswered request from its start, because it is about to send requests. */
    public void counting(Runnable work) {
        count(1);
        try {
            work.run();
        } finally {
            count(-1);
        }
    }

    /** Returns the message: the broker redelivers it after the delay. */
    public void redeliverAfter(ReceivedMessage message, Duration delay) {
        CompletableFuture<Answer> unused = request(message, "return", () -> changeInvisibleTime(message, delay));
    }

    /** Counts this as an unanswered request, because it sends one in the end. */
    public void awaitAlso(CompletableFuture<Void> later) {
        count(1);
        CompletableFuture<Void> unused = later.whenComplete((nothing, problem) -> count(-1));
    }

    /**
     * Requests a new invisible time, starting now.
     *
     * @param isAnswered whether the message was acknowledged or returned meanwhile: then nothing is requested
     */
    public CompletableFuture<Answer> renewInvisibleTime(
            ReceivedMessage message, Duration time, BooleanSupplier isAnswered) {
        return request(
                message,
                "renew the invisible time of",
                () -> isAnswered.getAsBoolean()
                        ? CompletableFuture.completedFuture(null)
                        : changeInvisibleTime(message, time));
    }

    private CompletableFuture<Void> changeInvisibleTime(ReceivedMessage message, Duration time) {
        String handle = message.receiptHandle();
        return consumer.changeInvisibleDurationAsync(message.view(), time).whenComplete((nothing, problem) -> {
            if (problem != null) {
                message.restore(handle);
            }
        });
    }

    private CompletableFuture<Answer> request(
            ReceivedMessage message, String what, Supplier<CompletableFuture<Void>> call) {
        count(1);
        CompletableFuture<Answer> mine = new CompletableFuture<>();
        CompletableFuture<?> before = message.enqueue(mine);
        CompletableFuture<Void> unused = before.thenCompose(nothing -> call(call))
                .whenComplete((none, problem) -> {
                    Answer answer = problem == null ? Answer.GRANTED : answer(message, what, problem);
                    count(-1);
                    mine.complete(answer);
                });
        return mine;
    }

    private Answer answer(ReceivedMessage message, String what, Throwable problem) {
        Throwable cause = Causes.unwrapped(problem);
        log.warn(
                "The broker request to {} the message in {} failed: {}. The broker redelivers the message; if it is"
                        + " done, it is acknowledged then",
                what,
                message.origin(),
                Printable.ofException(cause));
        log.debug("A request to the broker failed", cause);
        lock.run(() -> failed++);
        boolean isFinal = cause instanceof BadRequestException
                || cause instanceof IllegalStateException; // the consumer is closed
        return isFinal ? Answer.REFUSED : Answer.FAILED;
    }

    private static CompletableFuture<Void> call(Supplier<CompletableFuture<Void>> call) {
        try {
            return call.get();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** The number of failed requests so far. */
    public int failed() {
        return lock.get(() -> failed);
    }

    /** Waits until the broker has answered every request. */
    public void awaitAnswers(Duration longest) {
        lock.await(longest, () -> unanswered == 0);
    }

    private void count(int change) {
        lock.change(() -> unanswered += change);
    }
}
