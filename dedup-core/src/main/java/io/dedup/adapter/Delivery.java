package io.dedup.adapter;

import io.dedup.DedupKey;
import io.dedup.DedupTopic;
import io.dedup.Fingerprint;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A message as it came from a broker.
 *
 * @param key null when the message has no usable ID
 * @param problem why it has none; null when it has one
 * @param fingerprint of the payload, or null when it isn't compared
 * @param origin names the message in errors and logs: topic, partition and offset, or the broker's message ID
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
            throw new IllegalArgumentException("a delivery without a key says why it has none");
        }
    }

    /** A delivery with the ID as it came, usable or not. */
    public static Delivery of(
            DedupTopic topic, @Nullable String rawId, @Nullable Fingerprint fingerprint, Supplier<String> origin) {
        String problem = DedupKey.problemWith(rawId);
        DedupKey key = problem == null ? DedupKey.of(topic.scope(), rawId) : null;
        return new Delivery(topic, key, problem, fingerprint, origin);
    }

    /** A delivery whose ID couldn't be extracted. */
    public static Delivery withoutId(DedupTopic topic, String problem, Supplier<String> origin) {
        return new Delivery(topic, null, problem, null, origin);
    }

    /** Whether both say what their payload is, and it isn't the same. */
    public boolean differsFrom(Delivery other) {
        return fingerprint != null && other.fingerprint() != null && !fingerprint.equals(other.fingerprint());
    }

    /** Whether it is only watched: it runs, whatever its record says. */
    public boolean isShadow() {
        return topic.policy().shadow();
    }
}
