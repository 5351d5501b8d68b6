package io.dedup;

import io.dedup.policy.SettingNames;

/**
 * A message whose handler ended with the death of its process as often as {@code maxDeaths} allows. Its count was
 * reset with this verdict, so that a replay from the dead-letter topic runs.
 */
public final class PoisonMessageException extends DedupException {
    private static final long serialVersionUID = 1L;

    /** Of a message that {@code origin} names; {@code deaths} of its runs ended with their lease running out. */
    public PoisonMessageException(DedupKey key, String origin, int deaths, SettingNames names) {
        super(
                "Message ID " + key + " in " + origin + ": the leases of " + deaths
                        + " earlier runs ran out, because the process crashed or the handler took longer than "
                        + names.name("maxProcessingTime") + ". Rejected; " + names.path("maxDeaths")
                        + " sets how many such runs are allowed.",
                null);
    }
}
