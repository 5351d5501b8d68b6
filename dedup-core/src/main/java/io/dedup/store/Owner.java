package io.dedup.store;

import org.jspecify.annotations.Nullable;

/**
 * The owner of a claim: a random value, compared only for equality. Each call to a store gets a new one, which all claims
 * of a batch may share, because a claim is known by its key and its owner. It may start with the name of the instance, for
 * people to read. It ends with {@link #ALONE_END} if its claim was made alone, which decides whether its death counts.
 *
 * @param value 1 to 64 printable ASCII characters without spaces, commas or bars
 */
public record Owner(String value) {
    /** The character that ends the instance's name. It occurs neither in the name nor after it. */
    public static final char INSTANCE_END = '~';

    /** The character that ends the owner of a claim that was made alone, at its message's turn. No other owner ends with it. */
    public static final char ALONE_END = '!';

    /** The maximum length of the instance's name, which leaves room for the unique part. */
    public static final int MAX_INSTANCE_CHARS = 32;

    private static final int MAX_CHARS = 64;

    public Owner {
        if (value.isEmpty() || value.length() > MAX_CHARS) {
            throw new IllegalArgumentException(
                    "owner must have 1 to " + MAX_CHARS + " characters, but has " + value.length());
        }
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c <= ' ' || c >= 0x7f || c == ',' || c == '|') {
                throw new IllegalArgumentException("owner must be printable ASCII without spaces, commas or bars");
            }
        }
    }

    /**
     * Returns whether the claim was made alone, at its message's turn. If the lease of such a claim expires, a run of this
     * very message has begun, as far as anyone can know, and its death counts. Of claims that were made together, or ahead of
     * their messages' turns, most may never have begun, and nobody knows which one crashed the process.
     */
    public boolean isAlone() {
        return value.charAt(value.length() - 1) == ALONE_END;
    }

    /**
     * Returns the name of the instance that made the claim. For people only: two instances may have the same name.
     *
     * @return null if the owner has no name
     */
    public @Nullable String instance() {
        int end = value.lastIndexOf(INSTANCE_END);
        return end <= 0 ? null : value.substring(0, end);
    }
}
