package io.dedup.failover.load;

import io.dedup.Deduplicator;

/** What one consumer has of its own: its deduplicator, its connections to the stores, and its handler. */
public interface Handling extends AutoCloseable {
    Deduplicator deduplicator();

    /** Has the effect of a message. */
    void handle(String id, int attempt);

    @Override
    void close() throws Exception;

    /** Makes one for each consumer. */
    @FunctionalInterface
    interface Factory {
        Handling open(String topic) throws Exception;
    }
}
