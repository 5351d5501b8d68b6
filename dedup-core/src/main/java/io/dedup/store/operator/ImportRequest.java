package io.dedup.store.operator;

import io.dedup.DedupKey;
import io.dedup.policy.Window;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Requests to record a message as done that was handled before the store knew of it.
 *
 * @param completedAt when it was handled, not before 1970; stores may cut it off to milliseconds
 * @param window how long the record counts, from {@code completedAt}
 * @param result what duplicates receive, as {@code StoredResult} encodes it; null for nothing. Not copied, so do not
 *     change it
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record ImportRequest(DedupKey key, Instant completedAt, Window window, byte @Nullable [] result) {
    /** The last completion time that every store can keep together with a window of any length. */
    public static final Instant LATEST = Instant.parse("9999-12-31T00:00:00Z");

    // Not compact: javac would leave "@Nullable" of an array parameter out of the class file.
    public ImportRequest(DedupKey key, Instant completedAt, Window window, byte @Nullable [] result) {
        this.key = Objects.requireNonNull(key, "key");
        this.completedAt = Objects.requireNonNull(completedAt, "completedAt");
        this.window = Objects.requireNonNull(window, "window");
        this.result = result;
        if (completedAt.isBefore(Instant.EPOCH) || completedAt.isAfter(LATEST)) {
            throw new IllegalArgumentException(
                    "completedAt must be from 1970 to " + LATEST + ", but is " + completedAt);
        }
    }
}
