package io.dedup;

import java.util.List;

/**
 * A handler for the new items of a batch. It succeeds or fails for all of them together.
 *
 * @param <T> the type of an item
 * @param <X> the type of exception it throws; all claims of the call are then released
 */
@FunctionalInterface
public interface BatchDedupHandler<T, X extends Throwable> {
    /** Handles the items that are not duplicates, in the order of the batch, each ID once. */
    void handle(List<Item<T>> items) throws X;

    /** An item of a batch, with the context of its run. */
    record Item<T>(T value, DedupContext context) {}
}
