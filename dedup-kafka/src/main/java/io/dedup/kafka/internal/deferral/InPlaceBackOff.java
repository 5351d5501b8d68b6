package io.dedup.kafka.internal.deferral;

import io.dedup.adapter.poll.PollBudget;
import java.time.Duration;
import org.springframework.kafka.listener.ListenerUtils;
import org.springframework.kafka.listener.MessageListenerContainer;

/**
 * Waits on a consumer's thread before a deferred record is redelivered. For consumers whose polls cannot be watched:
 * nothing would end a pause of their partitions.
 */
final class InPlaceBackOff {
    private InPlaceBackOff() {}

    /**
     * Returns after this time, after a quarter of the longest time between two polls, or when the container stops,
     * whichever comes first.
     */
    public static void await(MessageListenerContainer container, Duration time, Duration maxPollInterval) {
        long millis = Math.min(time.toMillis(), maxPollInterval.toMillis() / PollBudget.SHARE);
        try {
            ListenerUtils.stoppableSleep(container, millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
