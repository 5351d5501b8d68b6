package io.dedup;

/**
 * The contexts of the handlers that are running, for code that a handler calls and that is not passed its {@link DedupContext}.
 * Thread-safe.
 *
 * <p>Only the handler's own thread has a context, from the call of the handler until it returns. Other threads, such as those of
 * an asynchronous handler's work, have none: read the context in the handler and pass it to them. If a handler calls a
 * deduplicator itself, the innermost run counts.
 *
 * <p>With the Spring Boot starter this is a bean. Otherwise create one with {@code Deduplicators.contexts()}, and pass it to the
 * builders of the deduplicators that it serves.
 */
public interface DedupContexts {
    /**
     * Returns the context of the message that this thread is handling.
     *
     * @throws IllegalStateException if the thread handles no message, or a batch of several
     */
    DedupContext current();

    /**
     * Returns the context of a message that this thread is handling, alone or in a batch. Handlers of batches find each of their
     * messages in this way.
     *
     * @param messageId as the message has it, even if IDs are hashed
     * @throws IllegalStateException if the thread does not handle this message
     */
    DedupContext current(String messageId);
}
