package io.dedup.kafka.internal.settlement;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Rolls a handler's transaction back: it gave a record back by {@code nack}, or returned without acknowledging it.
 * Committing the effect of a record that comes again would make it happen twice.
 */
public final class NotAcknowledgedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int position;
    private final @Nullable Duration sleep;

    /**
     * One.
     *
     * @param position of the first record that isn't acknowledged, among those that the handler was given
     * @param sleep as the handler wishes; null when it has just returned
     */
    public NotAcknowledgedException(int position, @Nullable Duration sleep) {
        super(
                sleep == null
                        ? "the handler returned without acknowledging: in a transactional mode its effects are rolled back"
                                + " and the record comes again. Acknowledge before returning, or use mode LEASED"
                        : "the handler gave it back",
                null,
                false,
                false);
        this.position = position;
        this.sleep = sleep;
    }

    public int position() {
        return position;
    }

    public boolean isNack() {
        return sleep != null;
    }

    /** After which delay the record is tried again. */
    public Duration sleep(Duration byDefault) {
        return sleep == null ? byDefault : sleep;
    }
}
