package io.dedup.store.redis.internal.record;

import io.dedup.store.WriteResult;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;

/** Reads the answer of the scripts that write for an owner: a letter for each key, and an H if a bucket has overgrown. */
final class WriteOutput extends CommandOutput<byte[], byte[], WriteResult[]> {
    private final Runnable overgrown;

    /**
     * @param keys how many requests the answer is about
     * @param overgrown called if a bucket has
     */
    WriteOutput(int keys, Runnable overgrown) {
        super(ByteArrayCodec.INSTANCE, new WriteResult[keys]);
        this.overgrown = overgrown;
    }

    @Override
    public void set(ByteBuffer letters) {
        for (int i = 0; i < output.length; i++) {
            output[i] = letters.get() == 'A' ? WriteResult.applied() : WriteResult.leaseLost();
        }
        if (letters.hasRemaining()) {
            overgrown.run();
        }
    }
}
