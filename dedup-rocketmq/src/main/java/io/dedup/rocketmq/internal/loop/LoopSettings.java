package io.dedup.rocketmq.internal.loop;

import java.time.Duration;
import java.util.function.IntFunction;

/** The settings of a loop; see its builder. */
public record LoopSettings(
        int concurrency,
        int batchSize,
        boolean completeTogether,
        Duration invisibleDuration,
        IntFunction<Duration> retryDelay,
        Duration shutdownTimeout) {

    /** The maximum number of open messages: enough to keep the handlers busy while the next batch is claimed. */
    int capacity() {
        return concurrency + batchSize;
    }
}
