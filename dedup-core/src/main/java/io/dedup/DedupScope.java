package io.dedup;

import io.dedup.privacy.IdHashing;
import io.dedup.text.Printable;
import io.dedup.text.Utf8;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The scope within which a message ID is unique: a consumer name, a logical topic and the kind of listener.
 *
 * <p>Listeners with different consumer names never affect each other; the same name and topic form one consumer.
 * Changing any part forgets all windows. Immutable and thread-safe.
 */
public final class DedupScope {
    /** The maximum length of {@link #text()} in bytes of UTF-8. A longer scope is replaced by a tagged SHA-256 hash. */
    public static final int MAX_BYTES = 255;

    private final String consumer;
    private final String topic;
    private final Kind kind;
    private final String text;
    private final @Nullable IdHashing hashing;

    private DedupScope(String consumer, String topic, Kind kind, @Nullable IdHashing hashing) {
        this.consumer = requireText("consumer", consumer);
        this.topic = requireText("topic", topic);
        this.kind = kind;
        this.hashing = hashing;
        // Length-prefixed, so that ("ab", "c") and ("a", "bc") differ whatever the names hold.
        String full = kind.prefix + consumer.length() + ":" + consumer + "/" + topic;
        this.text = Utf8.lengthOrMinusOne(full) <= MAX_BYTES
                ? full
                : kind.prefix + DedupKey.HASH_TAG + Utf8.sha256Hex(full);
    }

    /**
     * Creates the scope of an ordinary listener.
     *
     * @throws IllegalArgumentException if a name is blank or not valid Unicode
     */
    public static DedupScope of(String consumer, String topic) {
        return new DedupScope(consumer, topic, Kind.MAIN, null);
    }

    /**
     * Creates the scope of a dead-letter handler, which is separate from that of the ordinary listener.
     *
     * @throws IllegalArgumentException if a name is blank or not valid Unicode
     */
    public static DedupScope deadLetter(String consumer, String topic) {
        return new DedupScope(consumer, topic, Kind.DEAD_LETTER, null);
    }

    /** Returns the separate scope in which a listener in shadow mode keeps its records. */
    public DedupScope shadow() {
        return new DedupScope(text, topic, Kind.SHADOW, hashing);
    }

    /**
     * Returns this scope with hashed IDs: {@link #key} and {@link DedupKey#of} hash the IDs that they are given. It equals this
     * scope, because its records are kept in the same place. {@link Deduplicator#topic} has such a scope if its
     * deduplicator hashes IDs.
     */
    public DedupScope hashingIds(IdHashing with) {
        return new DedupScope(consumer, topic, kind, Objects.requireNonNull(with, "idHashing"));
    }

    /** Whether this is the scope of a dead-letter handler. */
    public boolean isDeadLetter() {
        return kind == Kind.DEAD_LETTER;
    }

    /** The consumer name, by default the consumer group. */
    public String consumer() {
        return consumer;
    }

    /** The logical topic; a retry topic has that of its main topic. */
    public String topic() {
        return topic;
    }

    /** The scope as stores keep it: unambiguous, valid Unicode, at most {@link #MAX_BYTES} bytes of UTF-8. */
    public String text() {
        return text;
    }

    /** Hashes the IDs of this scope; null if it keeps them as they are. */
    @Nullable
    IdHashing hashing() {
        return hashing;
    }

    /**
     * Creates the key of a business message ID in this scope.
     *
     * @throws MissingMessageIdException if {@link DedupKey#problemWith} finds the ID unusable
     */
    public DedupKey key(@Nullable String rawMessageId) {
        return DedupKey.of(this, rawMessageId);
    }

    private static String requireText(String what, String value) {
        if (Objects.requireNonNull(value, what).isBlank() || Utf8.lengthOrMinusOne(value) < 0) {
            throw new IllegalArgumentException(
                    what + " must be valid Unicode and not blank, but is " + Printable.of(value));
        }
        return value;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof DedupScope that && text.equals(that.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return (kind == Kind.MAIN ? "" : kind + " ") + "consumer " + Printable.of(consumer) + ", topic "
                + Printable.of(topic);
    }

    private enum Kind {
        MAIN(""),
        DEAD_LETTER("dlt!"),
        SHADOW("shadow!");

        private final String prefix;

        Kind(String prefix) {
            this.prefix = Objects.requireNonNull(prefix);
        }
    }
}
