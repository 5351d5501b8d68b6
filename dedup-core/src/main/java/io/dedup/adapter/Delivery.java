package io.dedup.adapter;

import io.dedup.DedupKey;
import io.dedup.DedupTopic;
import io.dedup.Fingerprint;
import io.dedup.duplicate.DuplicateCause;
import io.dedup.duplicate.MessagePlace;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A message that a broker delivered.
 *
 * @param key null if the message has no usable ID
 * @param problem why it has no usable ID, as a clause such as {@code it has no header "order-id"}; null if it has one
 * @param fingerprint of the payload; null if payloads are not compared
 * @param origin names the message in errors and logs: topic, partition and offset, or the broker's message ID; the same in
 *     each of its deliveries, by which they are known to be one message. A {@link MessageOrigin} also knows its place
 */
public record Delivery(
        DedupTopic topic,
        @Nullable DedupKey key,
        @Nullable String problem,
        @Nullable Fingerprint fingerprint,
        Supplier<String> origin) {
    public Delivery {
        Objects.requireNonNull(topic, "topic");
        Objects.requireNonNull(origin, "origin");
        if (key == null && problem == null) {
            throw new IllegalArgumentException("problem must be set when key is null");
        }
    }

    /** Creates a delivery with an ID as extracted from the message, usable or not. */
    public static Delivery of(
            DedupTopic topic, @Nullable String rawId, @Nullable Fingerprint fingerprint, Supplier<String> origin) {
        String problem = DedupKey.problemWith(rawId);
        DedupKey key = problem == null ? DedupKey.of(topic.scope(), rawId) : null;
        // The problem continues the sentence "Message in topic orders, partition 0, offset 36: ...".
        String sentence = problem == null ? null : "its message ID" + problem.substring("it".length());
        return new Delivery(topic, key, sentence, fingerprint, origin);
    }

    /** Creates a delivery whose ID could not be extracted. */
    public static Delivery withoutId(DedupTopic topic, String problem, Supplier<String> origin) {
        return new Delivery(topic, null, problem, null, origin);
    }

    /** Whether both deliveries have fingerprints, and these differ. */
    public boolean differsFrom(Delivery other) {
        return fingerprint != null && other.fingerprint() != null && !fingerprint.equals(other.fingerprint());
    }

    /** Returns where the broker has the message; null if the origin does not say. */
    public @Nullable MessagePlace place() {
        return origin instanceof MessageOrigin placed ? placed.place() : null;
    }

    /** Returns who sent the message; null if the origin does not say. */
    public @Nullable String sender() {
        return origin instanceof MessageOrigin placed ? placed.sender() : null;
    }

    /** Returns why this is a copy of a message that was handled at the given place, which is null if it is unknown. */
    public DuplicateCause causeAfter(@Nullable MessagePlace first) {
        return first != null && origin instanceof MessageOrigin placed
                ? placed.causeAfter(first)
                : DuplicateCause.UNKNOWN;
    }

    /** Whether the topic is in shadow mode: the handler runs whatever the record says. */
    public boolean isShadow() {
        return topic.policy().shadow();
    }
}
