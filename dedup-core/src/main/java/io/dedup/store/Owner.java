package io.dedup.store;

import org.jspecify.annotations.Nullable;

/**
 * Who holds a claim: a random value of one claim, compared for equality and for nothing else. It may begin with the name of
 * the instance, for people to read.
 *
 * @param value 1 to 64 printable ASCII characters without spaces, commas or bars
 */
public record Owner(String value) {
    /** What stands behind the instance's name: in no name, and in nothing that follows it. */
    public static final char INSTANCE_END = '~';

    /** How long the instance's name may be, so that what makes the owner unique has room behind it. */
    public static final int MAX_INSTANCE_CHARS = 32;

    private static final int MAX_CHARS = 64;

    public Owner {
        if (value.isEmpty() || value.length() > MAX_CHARS) {
            throw new IllegalArgumentException("an owner has 1 to " + MAX_CHARS + " characters");
        }
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c <= ' ' || c >= 0x7f || c == ',' || c == '|') {
                throw new IllegalArgumentException("an owner is printable ASCII without spaces, commas or bars");
            }
        }
    }

    /**
     * The name of the instance that claims for this owner, for people only: nothing keeps two instances from having the same.
     *
     * @return null when the owner doesn't tell it
     */
    public @Nullable String instance() {
        int end = value.lastIndexOf(INSTANCE_END);
        return end <= 0 ? null : value.substring(0, end);
    }
}
