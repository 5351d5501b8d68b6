package io.dedup.migration;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A message that was handled before dedup was introduced, for {@code Deduplicator.importDone}.
 *
 * <p>Anything can be wrong with imported data, so nothing is checked here: the import refuses an unusable ID or time and
 * reports its position.
 *
 * @param messageId the ID exactly as the listener of the topic extracts it; a long one in full, not hashed
 * @param completedAt when the message was handled
 * @param result what duplicates receive, as the listener's result codec encodes it; null for nothing. Not copied, so
 *     do not change it
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record ImportedId(
        @Nullable String messageId, @Nullable Instant completedAt, byte @Nullable [] result) {
    // Not compact: javac would leave "@Nullable" of an array parameter out of the class file.
    public ImportedId(@Nullable String messageId, @Nullable Instant completedAt, byte @Nullable [] result) {
        this.messageId = messageId;
        this.completedAt = completedAt;
        this.result = result;
    }

    /** A message without a stored result. */
    public static ImportedId of(String messageId, Instant completedAt) {
        return new ImportedId(messageId, completedAt, null);
    }
}
