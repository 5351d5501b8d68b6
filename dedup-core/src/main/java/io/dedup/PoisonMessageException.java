package io.dedup;

/**
 * A message whose handler ended with the death of its process as often as {@code maxDeaths} allows. Its count was
 * reset with this verdict, so that a replay from the dead-letter topic runs.
 */
public final class PoisonMessageException extends DedupException {
    private static final long serialVersionUID = 1L;

    public PoisonMessageException(DedupKey key, String origin, int deaths) {
        super(
                "message ID " + key + " in " + origin + ": " + deaths
                        + " earlier runs ended with their lease running out"
                        + " (a crash, or a handler longer than maxProcessingTime); maxDeaths sets how many are allowed",
                null);
    }
}
