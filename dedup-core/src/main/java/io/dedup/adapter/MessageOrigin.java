package io.dedup.adapter;

import io.dedup.duplicate.DuplicateCause;
import io.dedup.duplicate.MessagePlace;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An origin of a {@link Delivery} that also knows the message's place in its broker, so that the causes of duplicates can be
 * reported. No method calls the broker. Thread-safe.
 */
public interface MessageOrigin extends Supplier<String> {
    /** Returns where the message is. Called when a place is kept or reported, not for every message. */
    MessagePlace place();

    /**
     * Returns who sent this message: the header that the policy names, or what the broker says; null if neither does. At most
     * {@value io.dedup.duplicate.MessagePlace#MAX_SENDER_CHARS} characters, which the sender chooses.
     */
    default @Nullable String sender() {
        return null;
    }

    /**
     * Returns why this message arrived, given that a message with its ID was handled first at another place or the same.
     *
     * @param first as {@link #place} returned it, perhaps of another adapter or broker; its text is not trusted
     */
    DuplicateCause causeAfter(MessagePlace first);
}
