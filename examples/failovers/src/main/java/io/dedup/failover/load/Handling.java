package io.dedup.failover.load;

import io.dedup.Deduplicator;

/** One consumer's deduplicator, connections to the stores, and handler. */
public interface Handling extends AutoCloseable {
    Deduplicator deduplicator();

    /** Makes a message take effect. */
    void handle(String id, int attempt);

    @Override
    void close() throws Exception;

    /** Makes one for each consumer. */
    @FunctionalInterface
    interface Factory {
        Handling open(String topic) throws Exception;
    }
}
