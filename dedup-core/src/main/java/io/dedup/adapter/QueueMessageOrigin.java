package io.dedup.adapter;

import io.dedup.duplicate.DuplicateCause;
import io.dedup.duplicate.MessagePlace;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The origin of a message of a broker that gives each message an ID, and may deliver a failed one from another queue. The mark of
 * its place stands for the broker's ID: a client that sends a message twice, because it got no answer, uses the same one.
 */
public final class QueueMessageOrigin implements MessageOrigin {
    private static final String RETRIES = "retry";

    private final Supplier<String> name;
    private final MessagePlace place;
    private final @Nullable String sender;
    private final Function<MessagePlace, DuplicateCause> firstAttemptAgain;

    private QueueMessageOrigin(
            Supplier<String> name,
            MessagePlace place,
            @Nullable String sender,
            Function<MessagePlace, DuplicateCause> firstAttemptAgain) {
        this.name = name;
        this.place = place;
        this.sender = sender;
        this.firstAttemptAgain = firstAttemptAgain;
    }

    /**
     * The origin of a message in its first attempt.
     *
     * @param name of the message, for logs
     * @param sender see {@link MessageOrigin#sender}
     * @param firstAttemptAgain the cause if the same message, which was handled before, is delivered as a first attempt
     */
    public static QueueMessageOrigin of(
            Supplier<String> name,
            MessagePlace place,
            @Nullable String sender,
            Function<MessagePlace, DuplicateCause> firstAttemptAgain) {
        return new QueueMessageOrigin(name, place, sender, firstAttemptAgain);
    }

    /** The origin of a message in a later attempt: where it is now says nothing about where it was first. */
    public static QueueMessageOrigin retried(Supplier<String> name, int mark, @Nullable String sender) {
        return of(name, new MessagePlace(RETRIES, -1, mark, -1), sender, first -> DuplicateCause.REDELIVERED);
    }

    @Override
    public String get() {
        return name.get();
    }

    @Override
    public MessagePlace place() {
        return place;
    }

    @Override
    public @Nullable String sender() {
        return sender;
    }

    @Override
    public DuplicateCause causeAfter(MessagePlace first) {
        if (place.mark() != first.mark()) {
            return DuplicateCause.RESENT;
        }
        if (place.offset() < 0) {
            return DuplicateCause.REDELIVERED;
        }
        if (first.offset() < 0) {
            return DuplicateCause.UNKNOWN; // handled in a later attempt, of this message or of one with the same ID
        }
        return place.isSame(first) ? firstAttemptAgain.apply(first) : DuplicateCause.RESENT;
    }
}
