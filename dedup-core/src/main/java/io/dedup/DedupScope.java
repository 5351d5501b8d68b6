package io.dedup;

import io.dedup.text.Printable;
import io.dedup.text.Utf8;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Within which a message ID is unique: a configured consumer name, a logical topic and what kind of listener it is.
 *
 * <p>Listeners of different consumer names never suppress each other; the same name and the same topic are one
 * consumer. Changing any part forgets all windows. Immutable and thread-safe.
 */
public final class DedupScope {
    /** The most bytes of UTF-8 that {@link #text()} takes; a longer scope is replaced by a tagged SHA-256. */
    public static final int MAX_BYTES = 255;

    private final String consumer;
    private final String topic;
    private final Kind kind;
    private final String text;

    private DedupScope(String consumer, String topic, Kind kind) {
        this.consumer = requireText("consumer", consumer);
        this.topic = requireText("topic", topic);
        this.kind = kind;
        // Length-prefixed, so that ("ab", "c") and ("a", "bc") differ whatever the names hold.
        String full = kind.prefix + consumer.length() + ":" + consumer + "/" + topic;
        this.text = Utf8.lengthOrMinusOne(full) <= MAX_BYTES
                ? full
                : kind.prefix + DedupKey.HASH_TAG + Utf8.sha256Hex(full);
    }

    /** The scope of an ordinary listener. */
    public static DedupScope of(String consumer, String topic) {
        return new DedupScope(consumer, topic, Kind.MAIN);
    }

    /** The scope of a dead-letter handler, in which the same business ID may be dead-lettered again. */
    public static DedupScope deadLetter(String consumer, String topic) {
        return new DedupScope(consumer, topic, Kind.DEAD_LETTER);
    }

    /** The scope in which a listener in shadow mode keeps its records, apart from the real ones. */
    public DedupScope shadow() {
        return new DedupScope(text, topic, Kind.SHADOW);
    }

    /** Whether it is a dead-letter handler's. */
    public boolean isDeadLetter() {
        return kind == Kind.DEAD_LETTER;
    }

    /** The configured consumer name, by default the consumer group. */
    public String consumer() {
        return consumer;
    }

    /** The logical topic: a retry topic shares its main topic's. */
    public String topic() {
        return topic;
    }

    /** The one text that a store keeps: unambiguous, well-formed, at most {@link #MAX_BYTES} bytes of UTF-8. */
    public String text() {
        return text;
    }

    /**
     * The key of a business message ID in this scope.
     *
     * @throws MissingMessageIdException when {@link DedupKey#problemWith} finds the ID unusable
     */
    public DedupKey key(@Nullable String rawMessageId) {
        return DedupKey.of(this, rawMessageId);
    }

    private static String requireText(String what, String value) {
        if (Objects.requireNonNull(value, what).isBlank() || Utf8.lengthOrMinusOne(value) < 0) {
            throw new IllegalArgumentException(
                    what + " must be well-formed text that is not blank, but is " + Printable.of(value));
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
