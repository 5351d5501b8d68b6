package io.dedup.adapter.inplace;

import io.dedup.DedupOutcome.DeferReason;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.RunEnd;
import io.dedup.adapter.WaitBudget;
import io.dedup.adapter.Work;
import io.dedup.policy.DedupPolicy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Handles messages on a consumer's own thread, and waits there with messages that cannot be decided yet. For brokers
 * where every answer except success uses up one of the message's delivery attempts. Thread-safe.
 */
public final class InPlaceRunner {
    /** Slightly longer than RocketMQ's push consumer keeps receiving while it shuts down. */
    public static final Duration DEFAULT_WAIT_AFTER_END = Duration.ofSeconds(40);

    private final DedupAdapter engine;
    private final @Nullable Duration maxWait;
    private final Duration waitAfterEnd;
    private final AtomicReference<@Nullable Long> end = new AtomicReference<>(); // by System.nanoTime()

    /**
     * Creates a runner for all messages of a consumer.
     *
     * @param maxWait how long to wait with a message; null for the topic's {@link DedupPolicy#maxProcessingTime} plus
     *     its lease, after which another consumer has either finished the message or lost its claim
     * @param waitAfterEnd how long all messages together may wait after {@link #end}. A consumer that is shutting down
     *     keeps receiving: without this wait, a message that fails at once would be redelivered at once until it has no
     *     attempts left
     */
    public InPlaceRunner(DedupAdapter engine, @Nullable Duration maxWait, Duration waitAfterEnd) {
        this.engine = engine;
        this.maxWait = maxWait;
        this.waitAfterEnd = waitAfterEnd;
    }

    /** Returns how long a message may wait before it is returned to the broker. */
    public Duration longest(Delivery delivery) {
        DedupPolicy policy = delivery.topic().policy();
        return maxWait != null ? maxWait : policy.maxProcessingTime().plus(policy.lease());
    }

    /**
     * Call this before closing the consumers: from now on, all messages together wait for at most the
     * {@code waitAfterEnd} of the constructor, and after that not at all. Closing the deduplicator does the same with
     * the first message that arrives afterwards.
     */
    public void end() {
        end.compareAndSet(null, System.nanoTime() + waitAfterEnd.toNanos());
    }

    /** Starts a call without a limit other than the waits of its messages. */
    public Call call() {
        return new Call(null);
    }

    /**
     * Starts a call that the broker's client limits.
     *
     * @param limit the maximum of all waits in this call together, whatever is configured
     */
    public Call call(Duration limit) {
        return new Call(limit);
    }

    /**
     * One call of a listener, with one message or several. If the call is limited, all its waits count together,
     * because the client counts from the start of the call. Not thread-safe.
     */
    public final class Call {
        private final @Nullable Duration limit;
        private Duration waited = Duration.ZERO;
        private long handlerBegan;

        private Call(@Nullable Duration limit) {
            this.limit = limit;
        }

        /**
         * Admits a delivery and runs its handler, in a transaction if its mode requires one. If the transaction was, or
         * may have been, rolled back for a reason outside the handler, the delivery is admitted again here; its record
         * shows whether it was committed.
         *
         * @return a deferral ({@link RunEnd.NotHandled}) only if the waiting time has run out, including that after
         *     {@link #end}, or the thread is interrupted
         */
        public RunEnd run(Delivery delivery, Work work) {
            Work timed = execution -> {
                handlerBegan = System.nanoTime();
                return work.run(execution);
            };
            long begin = System.nanoTime();
            Duration atMost = left(delivery);
            Throwable failure = null;
            while (true) {
                RunEnd end = attempt(delivery, timed, failure, atMost.minusNanos(System.nanoTime() - begin));
                if (!(end instanceof RunEnd.NotHandled notHandled)) {
                    waited = failure != null ? waited.plusNanos(System.nanoTime() - begin) : waitedUntilHandler(begin);
                    return end;
                }
                if (failure == null && notHandled.failedWithoutClaim()) {
                    failure = failureOf(end);
                    waited = waitedUntilHandler(begin);
                    begin = System.nanoTime();
                    atMost = left(delivery);
                } else if (!isWorthAnotherTry(notHandled.admission(), begin, atMost)) {
                    waited = waited.plusNanos(System.nanoTime() - begin);
                    return end;
                }
            }
        }

        private Duration waitedUntilHandler(long begin) {
            return waited.plusNanos(Math.max(0, handlerBegan - begin));
        }

        /**
         * One attempt.
         *
         * @param failure of a handler that had lost its claim: the consumer that took over decides, so nothing runs
         *     here
         */
        private RunEnd attempt(Delivery delivery, Work work, @Nullable Throwable failure, Duration left) {
            WaitBudget budget = WaitBudget.of(shorter(left, untilEnd()));
            Admission admission = engine.admit(delivery, budget);
            if (!(admission instanceof Admission.Run run)) {
                return new RunEnd.NotHandled(admission);
            }
            if (failure != null) {
                run.execution().giveBack();
                return new RunEnd.Failed(failure);
            }
            RunEnd end = engine.run(run.execution(), work, budget);
            if (failureOf(end) instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            return end;
        }

        private boolean isWorthAnotherTry(Admission admission, long begin, Duration atMost) {
            if (!(admission instanceof Admission.Defer defer)) {
                return false;
            }
            if (defer.reason() == DeferReason.CLOSED) {
                end();
            }
            Duration left = shorter(atMost.minusNanos(System.nanoTime() - begin), untilEnd());
            if (left.isNegative() || left.isZero()) {
                return false;
            }
            if (defer.reason() == DeferReason.CLOSED) { // permanent, so only waiting is useful
                isInterruptedIn(left);
                return false;
            }
            return !isInterruptedIn(shorter(left, defer.retryAfter()));
        }

        private Duration left(Delivery delivery) {
            Duration longest = longest(delivery);
            return limit == null ? longest : shorter(longest, limit).minus(waited);
        }
    }

    private static @Nullable Throwable failureOf(RunEnd end) {
        if (end instanceof RunEnd.Failed failed) {
            return failed.cause();
        }
        return end instanceof RunEnd.NotHandled notHandled && notHandled.admission() instanceof Admission.Defer defer
                ? defer.cause()
                : null;
    }

    private static Duration shorter(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }

    /** The time until messages stop waiting; not positive if they already have. */
    private Duration untilEnd() {
        Long at = end.get();
        return at == null ? Duration.ofNanos(Long.MAX_VALUE) : Duration.ofNanos(at - System.nanoTime());
    }

    /** Waits. Returns true at once if the thread is interrupted; the flag stays set. */
    private static boolean isInterruptedIn(Duration time) {
        long until = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = until - System.nanoTime()) {
            if (Thread.currentThread().isInterrupted()) {
                return true;
            }
            LockSupport.parkNanos(left);
        }
        return Thread.currentThread().isInterrupted();
    }
}
