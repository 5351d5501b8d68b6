package io.dedup;

import io.dedup.policy.SettingNames;

/**
 * The leases of as many runs of a message expired as {@code maxDeaths} allows, because the process crashed or the
 * handler took too long. The count was reset with this rejection, so that a replay from the dead-letter topic is
 * handled.
 */
public final class PoisonMessageException extends DedupException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param origin names the message: topic, partition and offset, or the broker's message ID
     * @param deaths how many earlier runs ended with an expired lease
     * @param names how the message of this exception names settings
     */
    public PoisonMessageException(DedupKey key, String origin, int deaths, SettingNames names) {
        super(
                "Message ID " + key + " in " + origin + ": the leases of " + deaths
                        + " earlier runs ran out, because the process crashed or the handler took longer than "
                        + names.name("maxProcessingTime") + ". Rejected; " + names.path("maxDeaths")
                        + " sets how many such runs are allowed.",
                null);
    }
}
