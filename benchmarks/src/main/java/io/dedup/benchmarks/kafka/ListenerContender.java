package io.dedup.benchmarks.kafka;

import java.time.Duration;

/** A listener that is measured on the topic of a {@link ListenerBench}. */
@FunctionalInterface
public interface ListenerContender {
    /** @param handler how long a handler takes beside its effect, if it has one */
    double recordsPerSecond(Duration handler);
}
