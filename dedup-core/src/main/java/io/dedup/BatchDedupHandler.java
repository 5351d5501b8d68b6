package io.dedup;

import java.util.List;

/**
 * Work on the new ones of a batch; succeeds or fails as a whole.
 *
 * @param <T> the type of an item
 * @param <X> what it throws; all claims of the call are then released
 */
@FunctionalInterface
public interface BatchDedupHandler<T, X extends Throwable> {
    /** The new items in their order, none of them twice, each with the context of its run. */
    void handle(List<Item<T>> items) throws X;

    /** An item and the context of its run. */
    record Item<T>(T value, DedupContext context) {}
}
