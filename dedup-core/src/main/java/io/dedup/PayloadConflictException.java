package io.dedup;

import io.dedup.policy.OnConflict;
import io.dedup.policy.SettingNames;

/**
 * A message has an ID that was seen with another payload, and the policy is {@link OnConflict#FAIL}. Retrying cannot
 * help: the broker should send the message to its dead-letter topic.
 */
public final class PayloadConflictException extends DedupException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param origin names the message: topic, partition and offset, or the broker's message ID
     * @param names how the message of this exception names settings
     */
    public PayloadConflictException(DedupKey key, String origin, SettingNames names) {
        super(
                "Message ID " + key + " in " + origin
                        + " was seen with another payload: the producer reuses IDs, or the"
                        + " ID extractor of this topic picks a field that isn't unique. Rejected ("
                        + names.name("onConflict") + ": " + names.value(OnConflict.FAIL) + "). To change that, set "
                        + names.path("onConflict") + " to " + names.value(OnConflict.PROCESS)
                        + " (handle without deduplication) or " + names.value(OnConflict.SKIP)
                        + " (acknowledge without handling).",
                null);
    }
}
