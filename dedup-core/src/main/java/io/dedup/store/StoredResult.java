package io.dedup.store;

import io.dedup.RunReference;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What a store keeps with a message that is done: a handler's result, the reference of its run, or both.
 *
 * <p>Without a reference the bytes are the result's own, so that nothing changes for those who keep none. With one, they are
 * {@code FF kind length reference result}. No other bytes begin with {@code FF}: a result that does is wrapped as well.
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record StoredResult(
        byte @Nullable [] result, @Nullable String firstRun) {
    private static final byte WRAPPED = (byte) 0xff; // begins no UTF-8, hence no JSON
    private static final byte WITHOUT_RESULT = 0;
    private static final byte WITH_RESULT = 1;
    private static final int HEAD = 3;

    /** What is kept beside the result, at most. */
    public static final int MAX_EXTRA_BYTES = HEAD + RunReference.MAX_CHARS;

    /** The bytes for the store; null when there is nothing to keep. */
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

    /** What a store's bytes hold. Bytes that {@link #encode} doesn't make are a result, whoever has written them. */
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

    /** Whether it is text that is kept. */
    public static boolean isReference(String text) {
        return !text.isEmpty()
                && text.length() <= RunReference.MAX_CHARS
                && text.chars().allMatch(c -> c >= 0x20 && c < 0x7f);
    }
}
