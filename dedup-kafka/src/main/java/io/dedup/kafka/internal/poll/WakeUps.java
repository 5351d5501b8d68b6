package io.dedup.kafka.internal.poll;

import java.time.Duration;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/**
 * Handles wake-ups of one consumer that interrupt the wrong call. A wake-up is meant for the poll, but interrupts
 * whatever the consumer does next, even a commit, which it must not end. The next poll is shortened instead.
 */
final class WakeUps {
    /** After waking up repeatedly for this long, the call fails after all, and the polled records are fetched again. */
    private static final Duration LONGEST = Duration.ofMinutes(1);

    /** A call of the Kafka consumer. */
    interface Call<T> {
        @Nullable
        T call() throws Throwable;
    }

    private boolean meantForPoll;

    /**
     * Makes a call that a wake-up must not end.
     *
     * @throws Throwable what the call throws
     */
    <T> @Nullable T untilDone(Call<T> call) throws Throwable {
        long begin = System.nanoTime();
        while (true) {
            try {
                return call.call();
            } catch (WakeupException e) {
                meantForPoll = true;
                if (System.nanoTime() - begin > LONGEST.toNanos()) {
                    throw e;
                }
            }
        }
    }

    /** Returns whether a wake-up was meant for the poll that begins now. */
    boolean take() {
        boolean was = meantForPoll;
        meantForPoll = false;
        return was;
    }
}
