package io.dedup;

/**
 * A message carries an ID that was seen with another payload, and the policy is {@link OnConflict#FAIL}. Retrying can't
 * help: brokers should dead-letter the message.
 */
public final class PayloadConflictException extends DedupException {
    private static final long serialVersionUID = 1L;

    public PayloadConflictException(DedupKey key, String origin) {
        super(
                "message ID " + key + " in " + origin
                        + " was seen with another payload. The producer reuses IDs, or the"
                        + " ID extractor of this topic picks a field that isn't unique; onConflict decides what happens",
                null);
    }
}
