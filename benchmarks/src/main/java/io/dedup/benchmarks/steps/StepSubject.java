package io.dedup.benchmarks.steps;

import io.dedup.store.DedupStore;

/** A store, and what people write by hand on the same server to remember that a step of a message has run. */
public interface StepSubject extends AutoCloseable {
    String name();

    DedupStore store();

    /** Keeps a step's result, without asking who owns the message. */
    void keepByHand(String messageId, byte[] result);

    @Override
    void close();
}
