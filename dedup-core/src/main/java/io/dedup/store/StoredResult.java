package io.dedup.store;

import io.dedup.RunReference;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What a store keeps with a message that is done: the handler's result, the reference of its run, or both.
 *
 * <p>Without a reference, the stored bytes are those of the result. With a reference, they are
 * {@code FF kind length reference result}. A result that starts with {@code FF} is wrapped in the same way, so that no
 * other bytes start with {@code FF}.
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record StoredResult(
        byte @Nullable [] result, @Nullable String firstRun) {
    private static final byte WRAPPED = (byte) 0xff; // begins no UTF-8, hence no JSON
    private static final byte WITHOUT_RESULT = 0;
    private static final byte WITH_RESULT = 1;
    private static final int HEAD = 3;

    /** The maximum number of bytes that are stored in addition to the result. */
    public static final int MAX_EXTRA_BYTES = HEAD + RunReference.MAX_CHARS;

    /** Encodes a result and a reference for the store; null if both are null. */
    public static byte @Nullable [] encode(byte @Nullable [] result, @Nullable String reference) {
        if (reference == null && (result == null || result.length == 0 || result[0] != WRAPPED)) {
            return result;
        }
        byte[] text = reference == null ? new byte[0] : reference.getBytes(StandardCharsets.US_ASCII);
        ByteBuffer bytes = ByteBuffer.allocate(HEAD + text.length + (result == null ? 0 : result.length));
        bytes.put(WRAPPED).put(result == null ? WITHOUT_RESULT : WITH_RESULT).put((byte) text.length);
        bytes.put(text);
        if (result != null) {
            bytes.put(result);
        }
        return bytes.array();
    }

    /** Decodes stored bytes. Bytes that {@link #encode} cannot have produced count as a result. */
    public static StoredResult decode(byte @Nullable [] stored) {
        if (stored == null || stored.length < HEAD || stored[0] != WRAPPED) {
            return new StoredResult(stored, null);
        }
        int length = stored[2] & 0xff;
        boolean hasResult = stored[1] == WITH_RESULT;
        boolean isOurs = stored.length >= HEAD + length
                && (hasResult || (stored[1] == WITHOUT_RESULT && stored.length == HEAD + length));
        if (!isOurs) {
            return new StoredResult(stored, null);
        }
        String text = new String(stored, HEAD, length, StandardCharsets.ISO_8859_1);
        if (!text.isEmpty() && !isReference(text)) {
            return new StoredResult(stored, null);
        }
        byte[] result = hasResult ? Arrays.copyOfRange(stored, HEAD + length, stored.length) : null;
        return new StoredResult(result, text.isEmpty() ? null : text);
    }

    /** Whether the text is a valid reference: 1 to {@link RunReference#MAX_CHARS} printable ASCII characters. */
    public static boolean isReference(String text) {
        return !text.isEmpty()
                && text.length() <= RunReference.MAX_CHARS
                && text.chars().allMatch(c -> c >= 0x20 && c < 0x7f);
    }
}
