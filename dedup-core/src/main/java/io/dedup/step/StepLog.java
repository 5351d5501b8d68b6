package io.dedup.step;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The bytes that stores keep with an unfinished record: one entry for each step, one after the other. A store only appends to
 * them. If a step occurs twice, because a write was repeated, the later entry counts.
 */
public final class StepLog {
    /** The maximum length of a step's name, in bytes of UTF-8. */
    public static final int MAX_NAME_BYTES = 100;

    /** The maximum number of a message's steps. */
    public static final int MAX_STEPS = 100;

    /** The maximum size of all of a message's steps, in bytes. */
    public static final int MAX_BYTES = 256 * 1024;

    /** The maximum number of bytes that a step takes in addition to its result. */
    public static final int MAX_EXTRA_BYTES = 1 + 1 + MAX_NAME_BYTES + Long.BYTES + 1 + Integer.BYTES;

    private static final byte VERSION = 1;

    private StepLog() {}

    /** Encodes a step, to be appended. */
    public static byte[] entry(KeptStep step) {
        byte[] name = step.name().getBytes(StandardCharsets.UTF_8);
        byte[] result = step.result();
        ByteBuffer bytes = ByteBuffer.allocate(
                MAX_EXTRA_BYTES - MAX_NAME_BYTES + name.length + (result == null ? 0 : result.length));
        bytes.put(VERSION).put((byte) name.length).put(name);
        bytes.putLong(step.keptAt().toEpochMilli());
        bytes.put((byte) step.kind().number()).putInt(step.size());
        if (result != null) {
            bytes.put(result);
        }
        return bytes.array();
    }

    /**
     * Decodes the steps of a record, by their names, in the order in which they were kept first.
     *
     * @param log null for none
     * @throws IllegalArgumentException if the bytes are not such a log, or a newer version has written it
     */
    public static Map<String, KeptStep> decode(byte @Nullable [] log) {
        Map<String, KeptStep> steps = new LinkedHashMap<>();
        ByteBuffer bytes = ByteBuffer.wrap(log == null ? new byte[0] : log);
        try {
            while (bytes.hasRemaining()) {
                KeptStep step = next(bytes);
                steps.put(step.name(), step);
            }
        } catch (BufferUnderflowException | NegativeArraySizeException e) {
            throw new IllegalArgumentException("the kept steps are cut off", e);
        }
        return steps;
    }

    private static KeptStep next(ByteBuffer bytes) {
        byte version = bytes.get();
        if (version != VERSION) {
            throw new IllegalArgumentException("the kept steps have the unknown version " + version
                    + ": a newer release has written them, or they were changed");
        }
        String name = new String(take(bytes, bytes.get()), StandardCharsets.UTF_8);
        Instant keptAt = Instant.ofEpochMilli(bytes.getLong());
        KeptStep.Kind kind = KeptStep.Kind.of(bytes.get());
        int size = bytes.getInt();
        return kind == KeptStep.Kind.RESULT
                ? KeptStep.of(name, keptAt, take(bytes, size))
                : KeptStep.without(name, keptAt, kind, size);
    }

    private static byte[] take(ByteBuffer bytes, int length) {
        if (length > bytes.remaining()) {
            throw new BufferUnderflowException();
        }
        byte[] taken = new byte[length];
        bytes.get(taken);
        return taken;
    }
}
