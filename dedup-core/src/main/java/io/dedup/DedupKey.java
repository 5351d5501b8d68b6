package io.dedup;

import io.dedup.text.Printable;
import io.dedup.text.Utf8;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What one record of a dedup store is about: a business message ID within its scope.
 *
 * <p>The ID is kept as given: case, trailing spaces and Unicode form all count.
 *
 * @param scope within which the ID is unique
 * @param messageId well-formed, not blank, at most {@link #MAX_BYTES} bytes of UTF-8; use {@link #of} for an ID as
 *     it came from a message
 */
public record DedupKey(DedupScope scope, String messageId) {
    /** The framework-wide limit of an ID, in bytes of UTF-8; a longer one is replaced by a tagged SHA-256. */
    public static final int MAX_BYTES = 255;

    /** What marks a hashed ID. A raw ID that starts with it is hashed as well, so the two can't be confused. */
    static final String HASH_TAG = "sha256:";

    public DedupKey {
        Objects.requireNonNull(scope, "scope");
        String problem = problemWith(messageId);
        if (problem != null) {
            throw new MissingMessageIdException(scope, problem);
        }
        if (messageId.length() > MAX_BYTES / 3 && Utf8.lengthOrMinusOne(messageId) > MAX_BYTES) {
            throw new IllegalArgumentException("a stored message ID takes at most " + MAX_BYTES
                    + " bytes of UTF-8; use DedupKey.of for raw IDs: " + Printable.of(messageId));
        }
    }

    /**
     * The key of an ID as it came from a message.
     *
     * @throws MissingMessageIdException when {@link #problemWith} finds the ID unusable
     */
    public static DedupKey of(DedupScope scope, @Nullable String rawMessageId) {
        if (rawMessageId == null) {
            throw new MissingMessageIdException(scope, "there is none");
        }
        int bytes = rawMessageId.length() > MAX_BYTES / 3 || rawMessageId.startsWith(HASH_TAG)
                ? Utf8.lengthOrMinusOne(rawMessageId)
                : 0;
        // Ill-formed and blank text is left to the constructor to refuse: hashed, it would look like any other.
        boolean hash =
                (bytes > MAX_BYTES && !rawMessageId.isBlank()) || (bytes > 0 && rawMessageId.startsWith(HASH_TAG));
        return new DedupKey(scope, hash ? HASH_TAG + Utf8.sha256Hex(rawMessageId) : rawMessageId);
    }

    /**
     * Why an ID counts as missing, or null when it is usable.
     *
     * <p>Blank IDs count as missing: they come from unset fields, and taking them for one ID would ack every such
     * message but the first without its effect. Ill-formed UTF-16 does, because no encoding keeps two such IDs apart.
     */
    public static @Nullable String problemWith(@Nullable String rawMessageId) {
        if (rawMessageId == null) {
            return "there is none";
        }
        if (rawMessageId.isEmpty()) {
            return "it is empty";
        }
        if (rawMessageId.isBlank()) {
            return "it is blank";
        }
        return Utf8.lengthOrMinusOne(rawMessageId) < 0 ? "it is not well-formed text (a lone surrogate)" : null;
    }

    @Override
    public String toString() {
        return Printable.of(messageId) + " (" + scope + ")";
    }
}
