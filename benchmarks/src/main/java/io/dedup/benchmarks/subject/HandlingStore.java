package io.dedup.benchmarks.subject;

import java.util.Map;

/** A store, and the ways to handle messages with it: the modes of dedup, and what an expert writes by hand. */
public interface HandlingStore extends AutoCloseable {
    /** The store and its version, without its distance. */
    String name();

    /** The ways by name; names of dedup's own begin with {@link ContenderNames#DEDUP}. */
    Map<String, MessageHandling> ways();

    @Override
    void close();
}
