package io.dedup.soak.plan;

/** What a consumer process loses on purpose with each sample, to show that it is found. */
public enum Leak {
    NONE,
    HEAP,
    THREADS,
    FILES
}
