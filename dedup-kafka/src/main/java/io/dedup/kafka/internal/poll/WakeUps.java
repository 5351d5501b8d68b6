package io.dedup.kafka.internal.poll;

import java.time.Duration;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/**
 * Wake-ups of one consumer that come at the wrong time. Whoever wakes a consumer up means its poll; but the wake-up hits whatever
 * the consumer does next, also a commit, which it must not end. The next poll is cut short instead.
 */
final class WakeUps {
    /** After so much waking up the call fails after all, and what was polled is fetched again. */
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

    /** Whether the poll that begins now is the one that was meant. */
    boolean take() {
        boolean was = meantForPoll;
        meantForPoll = false;
        return was;
    }
}
