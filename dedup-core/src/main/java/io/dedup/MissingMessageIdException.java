package io.dedup;

/**
 * A message has no usable business ID, and the policy is {@link OnMissingId#FAIL}. Retrying can't help: brokers should
 * dead-letter the message.
 */
public final class MissingMessageIdException extends DedupException {
    private static final long serialVersionUID = 1L;

    public MissingMessageIdException(DedupScope scope, String problem) {
        super("no usable message ID for " + scope + ": " + problem, null);
    }

    public MissingMessageIdException(DedupScope scope, String origin, String problem) {
        super(
                "no usable message ID in " + origin + " for " + scope + ": " + problem
                        + ". Check the message ID extractor of this topic, or set onMissingId to PROCESS (runs unguarded)"
                        + " or SKIP (acks without its effect)",
                null);
    }
}
