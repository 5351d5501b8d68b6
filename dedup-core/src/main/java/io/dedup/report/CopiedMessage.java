package io.dedup.report;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A message with many copies.
 *
 * @param id escaped, and limited in length; a long one ends with a hash of all of it
 * @param copies how many copies arrived, at most
 * @param atLeast how many of these are certain: if many messages have copies, the counts of rare ones are taken over by others
 * @param lastCause why the last copy arrived
 * @param firstPlace where the message was handled first; null if that was not kept
 * @param lastPlace where the last copy was; null if that is not known
 * @param lastSender who sent the last copy, escaped; null if that is not known
 */
public record CopiedMessage(
        String consumer,
        String topic,
        String id,
        long copies,
        long atLeast,
        String lastCause,
        Instant lastAt,
        @Nullable String firstPlace,
        @Nullable String lastPlace,
        @Nullable String lastSender) {
    /** Adds what another process, or another hour, has counted for the same message. */
    CopiedMessage plus(CopiedMessage other) {
        CopiedMessage later = other.lastAt.isAfter(lastAt) ? other : this;
        return new CopiedMessage(
                consumer,
                topic,
                id,
                copies + other.copies,
                atLeast + other.atLeast,
                later.lastCause,
                later.lastAt,
                later.firstPlace,
                later.lastPlace,
                later.lastSender);
    }

    /** The same with copies that may have arrived where the message isn't listed. */
    CopiedMessage plusUnlisted(long more) {
        return new CopiedMessage(
                consumer, topic, id, copies + more, atLeast, lastCause, lastAt, firstPlace, lastPlace, lastSender);
    }
}
