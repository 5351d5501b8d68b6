package io.dedup.store.redis.internal.record;

import io.dedup.store.ClaimResult;
import io.dedup.store.ClaimResult.Acquired;
import io.dedup.store.ClaimResult.AlreadyDone;
import io.dedup.store.redis.internal.connection.RedisErrors;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Reads the answer of {@code claim.lua} as it arrives: first the codes of all keys, then the answers for those without
 * a final code. The answer about a single key may be its token or its value alone.
 */
final class ClaimOutput extends CommandOutput<byte[], byte[], ClaimResult[]> {
    private final RedisErrors errors;
    private boolean several;
    private byte @Nullable [] codes;
    private int next;

    /** @param keys how many claims the answer is about */
    ClaimOutput(int keys, RedisErrors errors) {
        super(ByteArrayCodec.INSTANCE, new ClaimResult[keys]);
        this.errors = errors;
    }

    @Override
    public void multi(int count) {
        several = true;
    }

    @Override
    public void set(ByteBuffer answer) {
        byte[] value = codec.decodeValue(answer);
        if (!several) {
            output[0] = parse(value);
        } else if (codes == null) {
            codes = value;
        } else {
            output[nextOpen(codes)] = parse(value);
        }
    }

    /** Receives the token of all first claims, which were made at the same time of the server's clock. */
    @Override
    public void set(long now) {
        ClaimResult first = new Acquired(1, 0, false, now);
        if (!several) {
            output[0] = first;
            return;
        }
        byte[] all = codes;
        if (all == null) {
            throw new IllegalStateException("the answer to a claim has no codes");
        }
        for (int i = 0; i < all.length; i++) {
            if (all[i] == 'N') {
                output[i] = first;
            }
        }
    }

    private int nextOpen(byte[] all) {
        while (all[next] == 'N') {
            next++;
        }
        return next++;
    }

    /** The driver fails the whole command if this throws: all claims of its batch, for a value that concerns one key. */
    private ClaimResult parse(byte[] value) {
        try {
            return parsed(value);
        } catch (RuntimeException e) { // begins as a record does, but another program wrote it
            return new ClaimResult.StoreError(errors.refused("claim", DoneValue.FOREIGN));
        }
    }

    private ClaimResult parsed(byte[] value) {
        if (DoneValue.isDone(value)) {
            return alreadyDone(value);
        }
        if (value[0] == 'A') {
            return acquired(value);
        }
        String text = new String(value, 1, value.length - 1, StandardCharsets.UTF_8);
        return switch (value[0]) {
            case 'I' -> new ClaimResult.InFlight(Duration.ofMillis(Long.parseLong(text)));
            case 'C' -> new ClaimResult.Conflict();
            default -> new ClaimResult.StoreError(errors.refused("claim", text));
        };
    }

    static AlreadyDone alreadyDone(byte[] value) {
        DoneValue done = DoneValue.parse(value);
        return new AlreadyDone(done.completedAt(), done.attempt(), done.result());
    }

    private static Acquired acquired(byte[] value) {
        int end = UnfinishedValue.end(value, 3);
        String[] parts = new String(value, 1, end - 1, StandardCharsets.US_ASCII).split(",", 4);
        return new Acquired(
                Integer.parseInt(parts[0]),
                Integer.parseInt(parts[1]),
                parts[2].equals("1"),
                Long.parseLong(parts[3]),
                UnfinishedValue.steps(value, end));
    }
}
