package io.dedup.rocketmq.remoting;

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
 * Waits with messages that can't be decided now, on the consumer's own thread: to send a message back, or to suspend its
 * queue, spends an attempt. Thread-safe.
 */
final class Patience {
    private final DedupEngine engine;
    private final @Nullable Duration maxWait;
    private final CountDownLatch over = new CountDownLatch(1);

    Patience(DedupEngine engine, @Nullable Duration maxWait) {
        this.engine = engine;
        this.maxWait = maxWait;
    }

    /** Ends all waits, now and in the future. */
    void end() {
        over.countDown();
    }

    /** @param limit of all waits in this call, whatever is configured */
    Call call(Duration limit) {
        return new Call(limit);
    }

    /**
     * One call of a listener. The client counts its consumeTimeout from the beginning of the call, so the waits for all
     * messages of the call are added up. Not thread-safe.
     */
    final class Call {
        private final Duration limit;
        private Duration waited = Duration.ZERO;

        private Call(Duration limit) {
            this.limit = limit;
        }

        /** For a store that doesn't take a completion. */
        WaitBudget budget(Delivery delivery) {
            return WaitBudget.of(left(delivery));
        }

        /** A deferral only when the time is over, the waits are ended or the thread is interrupted. */
        Admission admit(Delivery delivery) {
            long begin = System.nanoTime();
            Duration left = left(delivery);
            try {
                return admit(delivery, begin, left);
            } finally {
                waited = waited.plusNanos(System.nanoTime() - begin);
            }
        }

        private Admission admit(Delivery delivery, long begin, Duration atMost) {
            Duration left = atMost;
            while (true) {
                Admission admission =
                        engine.admit(delivery, isOver(Duration.ZERO) ? WaitBudget.none() : WaitBudget.of(left));
                if (!(admission instanceof Admission.Defer defer) || defer.reason() == DeferReason.CLOSED) {
                    return admission;
                }
                left = atMost.minusNanos(System.nanoTime() - begin);
                if (left.isNegative() || left.isZero() || isOver(shorter(left, defer.retryAfter()))) {
                    return admission;
                }
                left = atMost.minusNanos(System.nanoTime() - begin);
            }
        }

        private Duration left(Delivery delivery) {
            Duration longest = maxWait != null
                    ? maxWait
                    : delivery.topic()
                            .policy()
                            .maxProcessingTime()
                            .plus(delivery.topic().policy().lease());
            return shorter(longest, limit).minus(waited);
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
