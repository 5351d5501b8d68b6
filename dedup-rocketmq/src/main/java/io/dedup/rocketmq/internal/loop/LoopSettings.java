package io.dedup.rocketmq.internal.loop;

import java.time.Duration;
import java.util.function.IntFunction;

/** Settings of a loop; its builder tells what they mean. */
public record LoopSettings(
        int concurrency,
        int batchSize,
        Duration invisibleDuration,
        IntFunction<Duration> retryDelay,
        Duration shutdownTimeout) {

    /** How many messages may be open: enough to keep the handlers busy while the next batch is claimed. */
    int capacity() {
        return concurrency + batchSize;
    }
}
