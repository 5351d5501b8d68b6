package io.dedup.engine;

import io.dedup.DedupOutcome.DeferReason;
import io.dedup.DedupPolicy;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Handles messages on a consumer's own thread, and waits there with those that can't be decided now. For brokers whose
 * consumers have no better way: where each answer but success spends one of a message's attempts. Thread-safe.
 */
public final class Patience {
    private final DedupEngine engine;
    private final @Nullable Duration maxWait;
    private final CountDownLatch over = new CountDownLatch(1);

    /**
     * Patience for all messages of a consumer.
     *
     * @param maxWait how long to wait with a message; null for the topic's {@link DedupPolicy#maxProcessingTime} and its
     *     lease, after which whoever had the message has finished or lost it
     */
    public Patience(DedupEngine engine, @Nullable Duration maxWait) {
        this.engine = engine;
        this.maxWait = maxWait;
    }

    /** How long a message may wait before it is given back to the broker. */
    public Duration longest(Delivery delivery) {
        DedupPolicy policy = delivery.topic().policy();
        return maxWait != null ? maxWait : policy.maxProcessingTime().plus(policy.lease());
    }

    /** Ends all waits, now and in the future. */
    public void end() {
        over.countDown();
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
         * @return {@link RunEnd.NotRun} with a deferral only when the time is over, the waits are ended or the thread is
         *     interrupted
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
            WaitBudget budget = isOver(Duration.ZERO) ? WaitBudget.none() : WaitBudget.of(left);
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
            if (!(admission instanceof Admission.Defer defer) || defer.reason() == DeferReason.CLOSED) {
                return false;
            }
            Duration left = atMost.minusNanos(System.nanoTime() - begin);
            return !left.isNegative() && !left.isZero() && !isOver(shorter(left, defer.retryAfter()));
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
