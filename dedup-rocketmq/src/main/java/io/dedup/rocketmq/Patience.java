package io.dedup.rocketmq;

import io.dedup.DedupOutcome.DeferReason;
import io.dedup.engine.Admission;
import io.dedup.engine.DedupEngine;
import io.dedup.engine.Delivery;
import io.dedup.engine.WaitBudget;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Waits with a message that can't be decided now, on the consumer's own thread. RocketMQ knows no better way for a push
 * consumer: each answer but success spends a delivery attempt, and the proxy keeps the message invisible while its
 * consumer has it. Thread-safe.
 */
final class Patience {
    private final DedupEngine engine;
    private final @Nullable Duration maxWait;
    private final CountDownLatch over = new CountDownLatch(1);

    Patience(DedupEngine engine, @Nullable Duration maxWait) {
        this.engine = engine;
        this.maxWait = maxWait;
    }

    /** For a store that doesn't take a completion. */
    WaitBudget budget(Delivery delivery) {
        return WaitBudget.of(longest(delivery));
    }

    /** How long a message may wait here before it is given back to the broker. */
    Duration longest(Delivery delivery) {
        return maxWait != null
                ? maxWait
                : delivery.topic()
                        .policy()
                        .maxProcessingTime()
                        .plus(delivery.topic().policy().lease());
    }

    /** Ends all waits, now and in the future. */
    void end() {
        over.countDown();
    }

    /** Decides about a delivery; a deferral only when the time is over, the wait is ended or the thread is interrupted. */
    Admission admit(Delivery delivery) {
        Duration longest = longest(delivery);
        long begin = System.nanoTime();
        while (true) {
            Duration left = longest.minusNanos(System.nanoTime() - begin);
            Admission admission =
                    engine.admit(delivery, isOver(Duration.ZERO) ? WaitBudget.none() : WaitBudget.of(left));
            if (!(admission instanceof Admission.Defer defer) || defer.reason() == DeferReason.CLOSED) {
                return admission;
            }
            left = longest.minusNanos(System.nanoTime() - begin);
            if (left.isNegative() || left.isZero() || isOver(shorter(left, defer.retryAfter()))) {
                return admission;
            }
        }
    }

    private static Duration shorter(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }

    /** Waits. True at once when all waits are ended, and when interrupted; the flag stays set then. */
    private boolean isOver(Duration time) {
        try {
            return over.await(time.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }
}
