package io.dedup.duplicate;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a duplicate.
 *
 * @param completedAt when the message was handled first; null for a copy in the same batch as the first message
 * @param first where it was handled first; null if the record does not say
 * @param copy where the copy is; null if what delivers it has no places
 * @param sender who sent the copy, as its broker or a header says; null if that is not known. The sender chooses this text, so
 *     escape it where it is shown
 * @param shadow whether the topic is in shadow mode, so that the copy is handled nevertheless
 */
public record DuplicateDetails(
        DuplicateCause cause,
        @Nullable Instant completedAt,
        @Nullable MessagePlace first,
        @Nullable MessagePlace copy,
        @Nullable String sender,
        boolean shadow) {
    public DuplicateDetails {
        Objects.requireNonNull(cause, "cause");
    }
}
