package io.dedup.kafka.internal.settlement;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Fails a run whose handler returned: it returned within a transaction without acknowledging, called {@code nack}, or
 * has sought back to the record. The record is redelivered, so it isn't done, and committing its effect would make it
 * happen twice.
 */
public final class NotAcknowledgedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int position;
    private final @Nullable Duration sleep;

    /**
     * Creates the exception.
     *
     * @param position of the first record that isn't acknowledged, among those that the handler was given
     * @param sleep the handler's {@code nack} delay; null if it returned without acknowledging
     */
    public NotAcknowledgedException(int position, @Nullable Duration sleep) {
        this(
                sleep == null
                        ? "the handler returned without acknowledging, so its transaction is rolled back and the"
                                + " record is redelivered. Acknowledge before returning, or use mode LEASED"
                        : "the handler called nack or release",
                position,
                sleep);
    }

    private NotAcknowledgedException(String message, int position, @Nullable Duration sleep) {
        super(message, null, false, false);
        this.position = position;
        this.sleep = sleep;
    }

    /** The listener's call has sought back to records that it was given; they are redelivered at once. */
    static NotAcknowledgedException soughtBack(int position) {
        return new NotAcknowledgedException("the listener has sought back to the record", position, Duration.ZERO);
    }

    public int position() {
        return position;
    }

    public boolean isNack() {
        return sleep != null;
    }

    /** The delay before the redelivery. */
    public Duration sleep(Duration byDefault) {
        return sleep == null ? byDefault : sleep;
    }
}
