package io.dedup;

import org.jspecify.annotations.Nullable;

/**
 * The work that is to take effect once per message.
 *
 * @param <R> the type of the result
 * @param <X> the type of exception it throws; the claim is then released, so that a redelivery runs the handler again
 */
@FunctionalInterface
public interface DedupHandler<R extends @Nullable Object, X extends Throwable> {
    /** Handles the message; a normal return marks it as done. */
    R handle(DedupContext context) throws X;
}
