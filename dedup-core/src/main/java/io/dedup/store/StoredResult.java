package io.dedup.store;

import static java.util.Objects.requireNonNull;

import io.dedup.RunReference;
import io.dedup.duplicate.MessagePlace;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What a store keeps with a message that is done: the handler's result, the reference of its run, and the place of the message.
 *
 * <p>Without a reference and a place, the stored bytes are those of the result. With a reference, they are
 * {@code FF kind length reference result}; with a place, {@code FF kind length length reference place result}. A result that
 * starts with {@code FF} is wrapped in the same way, so that no other bytes start with {@code FF}.
 *
 * @param place where the broker had the message; null if that was not kept
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record StoredResult(
        byte @Nullable [] result,
        @Nullable String firstRun,
        @Nullable MessagePlace place) {
    private static final byte WRAPPED = (byte) 0xff; // begins no UTF-8, hence no JSON
    private static final int HAS_RESULT = 1;
    private static final int HAS_PLACE = 2;
    private static final int HEAD = 3;

    /** The maximum number of bytes that are stored in addition to the result. */
    public static final int MAX_EXTRA_BYTES = HEAD + 1 + RunReference.MAX_CHARS + MessagePlace.MAX_BYTES;

    /** Encodes a result and a reference for the store; null if both are null. */
    public static byte @Nullable [] encode(byte @Nullable [] result, @Nullable String reference) {
        return encode(result, reference, null);
    }

    /** Encodes a result, a reference and a place for the store; null if all are null. */
    public static byte @Nullable [] encode(
            byte @Nullable [] result, @Nullable String reference, @Nullable MessagePlace place) {
        int placeBytes = place == null ? -1 : place.encodedBytes();
        boolean hasPlace = placeBytes >= 0;
        if (reference == null && !hasPlace && (result == null || result.length == 0 || result[0] != WRAPPED)) {
            return result;
        }
        byte[] text = reference == null ? new byte[0] : reference.getBytes(StandardCharsets.US_ASCII);
        int head = hasPlace ? HEAD + 1 + placeBytes : HEAD;
        ByteBuffer bytes = ByteBuffer.allocate(head + text.length + (result == null ? 0 : result.length));
        bytes.put(WRAPPED)
                .put((byte) ((result == null ? 0 : HAS_RESULT) | (hasPlace ? HAS_PLACE : 0)))
                .put((byte) text.length);
        if (hasPlace) {
            bytes.put((byte) placeBytes).put(text);
            requireNonNull(place).encode(bytes);
        } else {
            bytes.put(text);
        }
        if (result != null) {
            bytes.put(result);
        }
        return bytes.array();
    }

    /** Decodes stored bytes. Bytes that {@link #encode} cannot have produced count as a result. */
    public static StoredResult decode(byte @Nullable [] stored) {
        StoredResult wrapped = stored == null || stored.length < HEAD || stored[0] != WRAPPED ? null : unwrap(stored);
        return wrapped == null ? new StoredResult(stored, null, null) : wrapped;
    }

    private static @Nullable StoredResult unwrap(byte[] stored) {
        int kind = stored[1];
        boolean hasResult = (kind & HAS_RESULT) != 0;
        boolean hasPlace = (kind & HAS_PLACE) != 0;
        if ((kind & ~(HAS_RESULT | HAS_PLACE)) != 0 || (hasPlace && stored.length <= HEAD)) {
            return null;
        }
        int from = hasPlace ? HEAD + 1 : HEAD;
        int textEnd = from + (stored[2] & 0xff);
        int end = textEnd + (hasPlace ? stored[HEAD] & 0xff : 0);
        if (hasResult ? stored.length < end : stored.length != end) {
            return null;
        }
        String text = new String(stored, from, textEnd - from, StandardCharsets.ISO_8859_1);
        MessagePlace place = hasPlace ? MessagePlace.decode(Arrays.copyOfRange(stored, textEnd, end)) : null;
        if ((hasPlace && place == null) || (!text.isEmpty() && !isReference(text))) {
            return null;
        }
        byte[] result = hasResult ? Arrays.copyOfRange(stored, end, stored.length) : null;
        return new StoredResult(result, text.isEmpty() ? null : text, place);
    }

    /** Whether the text is a valid reference: 1 to {@link RunReference#MAX_CHARS} printable ASCII characters. */
    public static boolean isReference(String text) {
        return !text.isEmpty()
                && text.length() <= RunReference.MAX_CHARS
                && text.chars().allMatch(c -> c >= 0x20 && c < 0x7f);
    }
}
