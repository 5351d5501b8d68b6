package io.dedup.examples.moving;

import io.dedup.migration.ImportedId;
import java.util.stream.Stream;

// docs:begin scheme
/** The entries of the scheme that dedup replaces, in its own format. Thread-safe. */
public interface OldScheme {
    enum Entry {
        /** There was none. Now there is one, and it is marked as the bridge's. */
        NEW,
        /** The bridge has made it for an earlier run, which has ended without success. */
        OURS,
        /** An old consumer is handling the message; only for a scheme that knows. */
        RUNNING,
        /** An old consumer has handled the message, or has at least marked it, if the scheme marks first. */
        KNOWN
    }

    /** Makes the entry that an old consumer would make, with one atomic step. */
    Entry claim(String id);

    /** Marks the bridge's entry as handled, if the scheme has such a mark. */
    default void done(String id) {}

    /** Removes the bridge's entry. */
    void failed(String id);

    /** What old consumers have handled, without the bridge's entries; close the stream. */
    Stream<ImportedId> handled();
}
// docs:end
