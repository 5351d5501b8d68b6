package io.dedup.soak.plan;

/** What a consumer process leaks on purpose with each sample, to show that leaks are found. */
public enum Leak {
    NONE,
    HEAP,
    THREADS,
    FILES
}
