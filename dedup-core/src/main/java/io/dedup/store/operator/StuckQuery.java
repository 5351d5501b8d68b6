package io.dedup.store.operator;

import io.dedup.DedupScope;
import io.dedup.policy.Window;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Selects the unfinished messages that an operator is looking for.
 *
 * @param scope the only scope to search; null for all
 * @param olderThan how long ago the last claim was made, at least, by the store's clock; from zero to
 *     {@link Window#MAX}
 * @param limit the maximum number of results; from 1 to {@link #MAX_LIMIT}
 */
public record StuckQuery(@Nullable DedupScope scope, Duration olderThan, int limit) {
    /** The highest limit. */
    public static final int MAX_LIMIT = 1_000;

    public StuckQuery {
        Objects.requireNonNull(olderThan, "olderThan");
        if (olderThan.isNegative() || olderThan.compareTo(Window.MAX) > 0) {
            throw new IllegalArgumentException(
                    "olderThan must be from 0 to " + Window.MAX.toDays() + " days, but is " + olderThan);
        }
        if (limit < 1 || limit > MAX_LIMIT) {
            throw new IllegalArgumentException("limit must be from 1 to " + MAX_LIMIT + ", but is " + limit);
        }
    }
}
