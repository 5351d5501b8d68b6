package io.dedup.benchmarks.measure;

/** Handles messages on one thread. */
@FunctionalInterface
public interface Worker {
    /** Handles some messages and returns how many. */
    int work();
}
