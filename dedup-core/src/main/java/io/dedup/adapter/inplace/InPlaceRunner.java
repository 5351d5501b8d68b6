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
 * Handles messages on a consumer's own thread, and waits there with those that can't be decided now. For brokers whose
 * consumers have no better way: where each answer but success spends one of a message's attempts. Thread-safe.
 */
public final class InPlaceRunner {
    /** For how long RocketMQ's push consumer goes on receiving while it closes, and some more. */
    public static final Duration DEFAULT_WAIT_AFTER_END = Duration.ofSeconds(40);

    private final DedupAdapter engine;
    private final @Nullable Duration maxWait;
    private final Duration waitAfterEnd;
    private final AtomicReference<@Nullable Long> end = new AtomicReference<>(); // by System.nanoTime()

    /**
     * For all messages of a consumer.
     *
     * @param maxWait how long to wait with a message; null for the topic's {@link DedupPolicy#maxProcessingTime} and its
     *     lease, after which whoever had the message has finished or lost it
     * @param waitAfterEnd how long messages wait after {@link #end}, all together. A consumer that is closing goes on receiving:
     *     a message that failed at once would be delivered again at once, until it has no attempt left
     */
    public InPlaceRunner(DedupAdapter engine, @Nullable Duration maxWait, Duration waitAfterEnd) {
        this.engine = engine;
        this.maxWait = maxWait;
        this.waitAfterEnd = waitAfterEnd;
    }

    /** How long a message may wait before it is given back to the broker. */
    public Duration longest(Delivery delivery) {
        DedupPolicy policy = delivery.topic().policy();
        return maxWait != null ? maxWait : policy.maxProcessingTime().plus(policy.lease());
    }

    /**
     * The consumers are about to be closed: from now on all messages together wait for as long as the constructor was told, and
     * then no message waits at all. The deduplicator's end does the same, with the first message that comes after it.
     */
    public void end() {
        end.compareAndSet(null, System.nanoTime() + waitAfterEnd.toNanos());
    }

    /** For a call that may take as long as its messages' waits. */
    public Call call() {
        return new Call(null);
    }

    /**
     * For a call that the broker's client limits.
     *
     * @param limit of all waits in this call, whatever is configured
     */
    public Call call(Duration limit) {
        return new Call(limit);
    }

    /**
     * One call of a listener, with one message or several. Where the call is limited, all its waits are added up, as the
     * client counts from the beginning of the call. Not thread-safe.
     */
    public final class Call {
        private final @Nullable Duration limit;
        private Duration waited = Duration.ZERO;
        private long handlerBegan;

        private Call(@Nullable Duration limit) {
            this.limit = limit;
        }

        /**
         * Admits a delivery and runs its handler, in a transaction where its mode asks for one. What was rolled back for no
         * reason of the handler's, or may have been, is admitted again here: its record tells what became of it.
         *
         * @return {@link RunEnd.NotRun} with a deferral only when the time is over, also that after the end of the waits, or the
         *     thread is interrupted
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
                if (!(end instanceof RunEnd.NotRun notRun)) {
                    waited = failure != null ? waited.plusNanos(System.nanoTime() - begin) : waitedUntilHandler(begin);
                    return end;
                }
                if (failure == null && notRun.failedWithoutClaim()) {
                    failure = failureOf(end);
                    waited = waitedUntilHandler(begin);
                    begin = System.nanoTime();
                    atMost = left(delivery);
                } else if (!isWorthAnotherTry(notRun.admission(), begin, atMost)) {
                    waited = waited.plusNanos(System.nanoTime() - begin);
                    return end;
                }
            }
        }

        private Duration waitedUntilHandler(long begin) {
            return waited.plusNanos(Math.max(0, handlerBegan - begin));
        }

        /** @param failure of a handler that had lost its claim: whoever took over decides, nothing runs here */
        private RunEnd attempt(Delivery delivery, Work work, @Nullable Throwable failure, Duration left) {
            WaitBudget budget = WaitBudget.of(shorter(left, untilEnd()));
            Admission admission = engine.admit(delivery, budget);
            if (!(admission instanceof Admission.Run run)) {
                return new RunEnd.NotRun(admission);
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
            if (defer.reason() == DeferReason.CLOSED) { // for good: only the wait has a use
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
        return end instanceof RunEnd.NotRun notRun && notRun.admission() instanceof Admission.Defer defer
                ? defer.cause()
                : null;
    }

    private static Duration shorter(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }

    /** Until nothing waits any more; not positive when that is so. */
    private Duration untilEnd() {
        Long at = end.get();
        return at == null ? Duration.ofNanos(Long.MAX_VALUE) : Duration.ofNanos(at - System.nanoTime());
    }

    /** Waits. True at once when the thread is interrupted; the flag stays set then. */
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
