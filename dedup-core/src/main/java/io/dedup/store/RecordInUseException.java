package io.dedup.store;

import io.dedup.DedupStoreException;
import org.jspecify.annotations.Nullable;

/**
 * A claim failed because other sessions use the record: they have locked it, or changed it at each attempt. The store answers, and
 * nothing was claimed. The message may be in work at another consumer, so that it is deferred like one that is in flight, whatever
 * {@code onStoreFailure} says.
 *
 * @since 0.1.0
 */
public final class RecordInUseException extends DedupStoreException {
    private static final long serialVersionUID = 1L;

    public RecordInUseException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
