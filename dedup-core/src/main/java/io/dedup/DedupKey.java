package io.dedup;

import io.dedup.privacy.IdHashing;
import io.dedup.text.Printable;
import io.dedup.text.Utf8;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The key of a record in a dedup store: a business message ID within a scope.
 *
 * <p>IDs are compared exactly: case, trailing spaces and Unicode normalization form matter.
 *
 * @param scope the consumer and topic within which the ID is unique
 * @param messageId valid Unicode, not blank, at most {@link #MAX_BYTES} bytes of UTF-8; use {@link #of} for an ID taken
 *     from a message
 */
public record DedupKey(DedupScope scope, String messageId) {
    /** The maximum length of a stored ID in bytes of UTF-8. A longer ID is replaced by a tagged SHA-256 hash. */
    public static final int MAX_BYTES = 255;

    /** The prefix of hashed IDs. A raw ID that starts with it is hashed too, so that it cannot collide with a hash. */
    static final String HASH_TAG = "sha256:";

    private static final String MISSING = "it is missing";

    public DedupKey {
        Objects.requireNonNull(scope, "scope");
        String problem = problemWith(messageId);
        if (problem != null) {
            throw new MissingMessageIdException(scope, problem);
        }
        if (messageId.length() > MAX_BYTES / 3 && Utf8.lengthOrMinusOne(messageId) > MAX_BYTES) {
            throw new IllegalArgumentException("messageId must have at most " + MAX_BYTES + " bytes of UTF-8, but is "
                    + Printable.of(messageId) + ": use DedupKey.of, which hashes longer IDs");
        }
    }

    /**
     * Creates the key of an ID taken from a message, hashing the ID if it is too long, or if
     * {@link DedupScope#hashingIds the scope hashes all}.
     *
     * @throws MissingMessageIdException if {@link #problemWith} finds the ID unusable
     */
    public static DedupKey of(DedupScope scope, @Nullable String rawMessageId) {
        if (rawMessageId == null) {
            throw new MissingMessageIdException(scope, MISSING);
        }
        IdHashing hashing = scope.hashing();
        if (hashing != null) {
            String problem = problemWith(rawMessageId);
            if (problem != null) {
                throw new MissingMessageIdException(scope, problem);
            }
            return new DedupKey(scope, hashing.hash(rawMessageId));
        }
        return new DedupKey(scope, stored(rawMessageId));
    }

    /**
     * Returns a usable ID as stores keep it where IDs are not hashed: a tagged SHA-256 if it is long or has that tag, else itself.
     */
    public static String stored(String rawMessageId) {
        int bytes = rawMessageId.length() > MAX_BYTES / 3 || rawMessageId.startsWith(HASH_TAG)
                ? Utf8.lengthOrMinusOne(rawMessageId)
                : 0;
        // The constructor rejects invalid and blank text; a hash of it would look valid.
        boolean hash =
                (bytes > MAX_BYTES && !rawMessageId.isBlank()) || (bytes > 0 && rawMessageId.startsWith(HASH_TAG));
        return hash ? HASH_TAG + Utf8.sha256Hex(rawMessageId) : rawMessageId;
    }

    /**
     * Explains why an ID is unusable: it is null, empty, blank or not valid Unicode.
     *
     * <p>Blank IDs count as missing because they come from unset fields: treating them as one ID would acknowledge
     * every such message but the first without handling it. IDs with lone surrogates count as missing because encoders
     * replace those, so that two such IDs could become equal.
     *
     * @return a clause that starts with "it", such as {@code it is blank}; null if the ID is usable
     */
    public static @Nullable String problemWith(@Nullable String rawMessageId) {
        if (rawMessageId == null) {
            return MISSING;
        }
        if (rawMessageId.isEmpty()) {
            return "it is empty";
        }
        if (rawMessageId.isBlank()) {
            return "it is blank";
        }
        return Utf8.lengthOrMinusOne(rawMessageId) < 0
                ? "it contains a lone surrogate, so it is not valid Unicode"
                : null;
    }

    // Written out: a message's key is looked up about a dozen times, and the JIT doesn't always inline what a record
    // generates.

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof DedupKey that && messageId.equals(that.messageId) && scope.equals(that.scope);
    }

    @Override
    public int hashCode() {
        return 31 * scope.hashCode() + messageId.hashCode();
    }

    @Override
    public String toString() {
        return Printable.of(messageId) + " (" + scope + ")";
    }
}
