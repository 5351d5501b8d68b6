package io.dedup.store;

/**
 * Who holds a claim: a random value of one claim, compared for equality and for nothing else.
 *
 * @param value 1 to 64 printable ASCII characters without spaces, commas or bars
 */
public record Owner(String value) {
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
}
