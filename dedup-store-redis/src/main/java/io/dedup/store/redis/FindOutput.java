package io.dedup.store.redis;

import io.dedup.Fingerprint;
import io.dedup.store.Owner;
import io.dedup.store.StoredRecord;
import io.dedup.store.StoredRecord.State;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
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
            value = new byte[bytes.remaining()];
            bytes.get(value);
        }
    }

    @Override
    public void set(long number) {
        if (timeToLive == null) {
            timeToLive = number;
        } else if (value != null && timeToLive != 0) { // 0: expires within this very millisecond
            output = Optional.of(DoneValue.isDone(value) ? done(value, timeToLive, number) : open(value, timeToLive));
        }
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

    private StoredRecord open(byte[] value, long timeToLive) {
        String text = new String(value, StandardCharsets.US_ASCII);
        String[] parts = text.split(",", 5);
        if (!text.matches("[FXPT][^,]*,\\d+,\\d+,\\d+,[\\w-]*")) {
            throw errors.refused("find", "the key holds something that is no record of this store");
        }
        char phase = text.charAt(0);
        String owner = parts[0].substring(1);
        boolean live = !owner.isEmpty() && timeToLive > retentionMillis;
        return new StoredRecord(
                phase == 'F' ? State.RELEASED : live ? State.PROCESSING : State.ABANDONED,
                Integer.parseInt(parts[1]),
                Integer.parseInt(parts[2]),
                Long.parseLong(parts[3]),
                owner.isEmpty() ? null : new Owner(owner),
                live ? Duration.ofMillis(timeToLive - retentionMillis) : Duration.ZERO,
                null,
                null,
                parts[4].isEmpty() ? null : new Fingerprint(parts[4]),
                null);
    }
}
