package io.dedup.rocketmq.internal.ack;

import io.dedup.rocketmq.internal.listener.MessageDeliveries;
import java.time.Duration;
import java.util.function.IntFunction;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The delay before the broker redelivers a failed message, computed by the user's function of its delivery attempt. */
public final class RetryDelay {
    private static final Logger log = LoggerFactory.getLogger("io.dedup.rocketmq.SimpleConsumerLoop");
    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration DEFAULT = Duration.ofSeconds(10);

    private final IntFunction<Duration> byAttempt;

    public RetryDelay(IntFunction<Duration> byAttempt) {
        this.byAttempt = byAttempt;
    }

    Duration of(MessageView message) {
        try {
            Duration delay = byAttempt.apply(message.getDeliveryAttempt());
            return delay.compareTo(SHORTEST) < 0 ? SHORTEST : delay;
        } catch (RuntimeException | Error e) { // thrown by the user's function, or it returned null
            log.error(
                    "The retryDelay function of the SimpleConsumerLoop failed; the message in {} is redelivered after"
                            + " 10 s",
                    MessageDeliveries.origin(message),
                    e);
            return DEFAULT;
        }
    }
}
