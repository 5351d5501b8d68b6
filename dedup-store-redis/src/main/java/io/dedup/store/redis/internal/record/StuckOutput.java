package io.dedup.store.redis.internal.record;

import io.dedup.store.StoredRecord;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the answer of {@code stuck.lua}: for each record, the position of its key, its value and its time to live. */
final class StuckOutput extends CommandOutput<byte[], byte[], Map<Integer, StoredRecord>> {
    private final long retentionMillis;
    private int position;
    private byte @Nullable [] value;

    StuckOutput(long retentionMillis) {
        super(ByteArrayCodec.INSTANCE, new HashMap<>());
        this.retentionMillis = retentionMillis;
    }

    @Override
    public void set(@Nullable ByteBuffer bytes) {
        if (bytes != null) {
            value = codec.decodeValue(bytes);
        }
    }

    @Override
    public void set(long number) {
        if (value == null) {
            position = Math.toIntExact(number) - 1;
            return;
        }
        StoredRecord record = UnfinishedValue.parse(value, number, retentionMillis);
        value = null;
        if (record != null) {
            output.put(position, record);
        }
    }
}
