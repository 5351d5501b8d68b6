package io.dedup;

import org.jspecify.annotations.Nullable;

/**
 * The work that shall take effect once.
 *
 * @param <R> what it returns
 * @param <X> what it throws; the claim is then released, so that the message can run again
 */
@FunctionalInterface
public interface DedupHandler<R extends @Nullable Object, X extends Throwable> {
    R handle(DedupContext context) throws X;
}
