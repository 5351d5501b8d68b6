package io.dedup.store.redis.internal.record;

import io.dedup.store.StoredRecord;
import io.dedup.store.StoredRecord.State;
import io.dedup.store.redis.internal.connection.RedisErrors;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the answer of {@code find.lua}: the value, its time to live and the server's time. */
final class FindOutput extends CommandOutput<byte[], byte[], Optional<StoredRecord>> {
    private final long retentionMillis;
    private final RedisErrors errors;
    private byte @Nullable [] value;
    private @Nullable Long timeToLive;

    FindOutput(long retentionMillis, RedisErrors errors) {
        super(ByteArrayCodec.INSTANCE, Optional.empty());
        this.retentionMillis = retentionMillis;
        this.errors = errors;
    }

    @Override
    public void set(@Nullable ByteBuffer bytes) {
        if (bytes != null) {
            value = codec.decodeValue(bytes);
        }
    }

    @Override
    public void set(long number) {
        if (timeToLive == null) {
            timeToLive = number;
        } else if (value != null && timeToLive != 0) { // 0: expires within this very millisecond
            output = Optional.of(record(value, timeToLive, number));
        }
    }

    private StoredRecord record(byte[] value, long timeToLive, long now) {
        @Nullable StoredRecord record;
        try {
            record = DoneValue.isDone(value)
                    ? done(value, timeToLive, now)
                    : UnfinishedValue.parse(value, timeToLive, retentionMillis);
        } catch (RuntimeException e) { // begins as a DONE record does
            record = null;
        }
        if (record == null) {
            throw errors.refused("find", DoneValue.FOREIGN);
        }
        return record;
    }

    private static StoredRecord done(byte[] value, long timeToLive, long now) {
        DoneValue done = DoneValue.parse(value);
        return new StoredRecord(
                State.DONE,
                done.attempt(),
                0,
                0,
                null,
                Duration.ZERO,
                done.completedAt(),
                timeToLive < 0 ? null : Instant.ofEpochMilli(now + timeToLive),
                done.fingerprint(),
                done.result());
    }
}
