package io.dedup.rocketmq.internal.loop;

import io.dedup.rocketmq.SimpleConsumerLoopBuilder;
import io.dedup.rocketmq.internal.listener.MessageDeliveries;
import java.time.Duration;
import java.util.function.IntFunction;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Settings of a loop; {@link SimpleConsumerLoopBuilder} tells what they mean. */
public record LoopSettings(
        int concurrency,
        int batchSize,
        Duration invisibleDuration,
        IntFunction<Duration> retryDelay,
        Duration shutdownTimeout) {
    private static final Logger log = LoggerFactory.getLogger("io.dedup.rocketmq.SimpleConsumerLoop");
    private static final Duration SHORTEST_DELAY = Duration.ofMillis(1);
    private static final Duration DEFAULT_DELAY = Duration.ofSeconds(10);

    /** How many messages may be open: enough to keep the handlers busy while the next batch is claimed. */
    public int capacity() {
        return concurrency + batchSize;
    }

    /** After how long a message that failed comes again. */
    public Duration delayOf(MessageView message) {
        try {
            Duration delay = retryDelay.apply(message.getDeliveryAttempt());
            return delay.compareTo(SHORTEST_DELAY) < 0 ? SHORTEST_DELAY : delay;
        } catch (RuntimeException | Error e) { // of the user's; null, too
            log.error("retryDelay failed; {} comes again after 10 s", MessageDeliveries.origin(message), e);
            return DEFAULT_DELAY;
        }
    }
}
