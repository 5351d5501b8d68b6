package io.dedup.benchmarks.subject;

import java.util.List;

/** A request to a server and its answer, made without the store. Thread-safe. */
@FunctionalInterface
public interface Exchange {
    /**
     * Sends the request for these messages and reads the whole answer.
     *
     * @throws IllegalStateException when there is none
     */
    void send(List<String> ids);
}
