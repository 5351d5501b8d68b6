package io.dedup.duplicate;

import io.dedup.text.Printable;
import io.dedup.text.Utf8;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Where a broker has a message. Kept with the record of the message that was handled first, if its topic's policy says so.
 *
 * @param queue the partition or queue. Text from the broker, so escape it where it is shown, as {@link #toString} does
 * @param offset in the queue; -1 if this delivery does not show it, as with a retry through another queue
 * @param mark of the message itself, such as a hash of the broker's message ID, because offsets can begin again
 * @param committed up to which offset of the queue the consumer group had committed, as far as the consumer knew when it received
 *     the message; -1 if it knew nothing
 */
public record MessagePlace(String queue, long offset, int mark, long committed) {
    /** The maximum size of an encoded place. */
    public static final int MAX_BYTES = 64;

    /** The maximum length of a sender's name; a longer one is cut. */
    public static final int MAX_SENDER_CHARS = 80;

    private static final int MAX_NUMBER_BYTES = 10;
    private static final int MAX_QUEUE_BYTES = MAX_BYTES - 1 - Integer.BYTES - 2 * MAX_NUMBER_BYTES;

    public MessagePlace {
        Objects.requireNonNull(queue, "queue");
    }

    /** Whether both name the same message, by queue, offset and mark. */
    public boolean isSame(MessagePlace other) {
        return offset >= 0 && offset == other.offset && mark == other.mark && queue.equals(other.queue);
    }

    /** Returns the sender's name, cut to {@value #MAX_SENDER_CHARS} characters; null for null and for empty text. */
    public static @Nullable String cutSender(@Nullable String sender) {
        if (sender == null || sender.isEmpty()) {
            return null;
        }
        return sender.length() <= MAX_SENDER_CHARS ? sender : sender.substring(0, MAX_SENDER_CHARS);
    }

    /** The number of bytes of this place; -1 if its queue has too long a name, or one that isn't well-formed text. */
    public int encodedBytes() {
        int name = Utf8.lengthOrMinusOne(queue);
        return name < 0 || name > MAX_QUEUE_BYTES
                ? -1
                : 1 + name + Integer.BYTES + bytesOf(offset + 1) + bytesOf(encodedLag());
    }

    /** Writes {@link #encodedBytes} bytes, for {@link #decode}. */
    public void encode(ByteBuffer bytes) {
        byte[] name = queue.getBytes(StandardCharsets.UTF_8);
        bytes.put((byte) name.length).put(name).putInt(mark);
        putNumber(bytes, offset + 1);
        putNumber(bytes, encodedLag());
    }

    private long encodedLag() {
        return committed < 0 || committed > offset ? 0 : offset - committed + 1;
    }

    private static int bytesOf(long number) {
        return (Long.SIZE - Long.numberOfLeadingZeros(number | 1) + 6) / 7;
    }

    /** Decodes a place; null if {@link #encode} cannot have produced the bytes. */
    public static @Nullable MessagePlace decode(byte[] encoded) {
        ByteBuffer bytes = ByteBuffer.wrap(encoded);
        try {
            byte[] name = new byte[bytes.get() & 0xff];
            bytes.get(name);
            int mark = bytes.getInt();
            long offset = number(bytes) - 1;
            long lag = number(bytes) - 1;
            boolean isPlace = !bytes.hasRemaining() && offset >= -1 && lag >= -1 && lag <= offset;
            return isPlace
                    ? new MessagePlace(
                            new String(name, StandardCharsets.UTF_8), offset, mark, lag < 0 ? -1 : offset - lag)
                    : null;
        } catch (BufferUnderflowException e) {
            return null;
        }
    }

    private static void putNumber(ByteBuffer bytes, long number) {
        long left = number;
        while ((left & ~0x7fL) != 0) {
            bytes.put((byte) (left | 0x80));
            left >>>= 7;
        }
        bytes.put((byte) left);
    }

    private static long number(ByteBuffer bytes) {
        long number = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            byte next = bytes.get();
            number |= (next & 0x7fL) << shift;
            if (next >= 0) {
                return number;
            }
        }
        return -1;
    }

    /** The queue, escaped and limited in length, and the offset. */
    @Override
    public String toString() {
        boolean isCut = queue.length() > MAX_BYTES;
        String name = Printable.of(isCut ? queue.substring(0, MAX_BYTES) : queue);
        return name.substring(1, name.length() - 1) + (isCut ? "…" : "") + (offset < 0 ? "" : "@" + offset);
    }
}
