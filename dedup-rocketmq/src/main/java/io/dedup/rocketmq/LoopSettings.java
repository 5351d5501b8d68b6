package io.dedup.rocketmq;

import java.time.Duration;
import java.util.function.IntFunction;

/** Settings of a loop; {@link SimpleConsumerLoopBuilder} tells what they mean. */
record LoopSettings(
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
