package io.dedup.benchmarks.subject;

/** Handles single messages once each, with a handler that does nothing. Thread-safe. */
@FunctionalInterface
public interface MessageHandling {
    /**
     * Handles one message.
     *
     * @return whether the handler ran; false for a duplicate
     * @throws RuntimeException if the message has to be delivered again
     */
    boolean handle(String id);
}
