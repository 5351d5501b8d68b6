package io.dedup.soak.plan;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * How often each message of a lane took effect, in a file that two processes see: outside of the measured heap, and
 * available while the consumer isn't running. Thread-safe.
 */
public final class EffectFile {
    /** More than a lane gets in an hour. */
    public static final int MOST_IDS = 60_000_000;

    private static final VarHandle INT = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int DISTINCT = 0;
    private static final int ALL = Long.BYTES;
    private static final int HEADER = 2 * Long.BYTES;

    private final ByteBuffer bytes;

    private EffectFile(ByteBuffer bytes) {
        this.bytes = bytes;
    }

    /** Makes it where it is missing. */
    public static EffectFile open(Path directory, Lane lane) throws IOException {
        try (FileChannel channel = FileChannel.open(
                directory.resolve(lane.id() + ".effects"),
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
            long size = HEADER + (long) MOST_IDS * Integer.BYTES;
            return new EffectFile(channel.map(FileChannel.MapMode.READ_WRITE, 0, size));
        }
    }

    /** An effect. */
    public void add(int id) {
        LONG.getAndAdd(bytes, ALL, 1L);
        if ((int) INT.getAndAdd(bytes, offset(id), 1) == 0) {
            LONG.getAndAdd(bytes, DISTINCT, 1L);
        }
    }

    /** How often it took effect. */
    public int effects(int id) {
        return (int) INT.getVolatile(bytes, offset(id));
    }

    /** How many messages took effect. */
    public long distinct() {
        return (long) LONG.getVolatile(bytes, DISTINCT);
    }

    /** How many effects there were. */
    public long all() {
        return (long) LONG.getVolatile(bytes, ALL);
    }

    private static int offset(int id) {
        return HEADER + id * Integer.BYTES;
    }
}
