package io.dedup.store.redis.internal.record;

import io.dedup.store.operator.ImportResult;
import io.dedup.store.operator.ImportResult.Decision;
import io.dedup.store.redis.internal.connection.RedisErrors;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Reads the answer of {@code import_done.lua}: a letter for each key, and the error of those that failed. */
final class ImportOutput extends CommandOutput<byte[], byte[], ImportResult[]> {
    private final RedisErrors errors;
    private String codes = "";

    /** @param keys how many requests the answer is about */
    ImportOutput(int keys, RedisErrors errors) {
        super(ByteArrayCodec.INSTANCE, new ImportResult[keys]);
        this.errors = errors;
    }

    @Override
    public void set(ByteBuffer bytes) {
        String text = new String(codec.decodeValue(bytes), StandardCharsets.UTF_8);
        if (codes.isEmpty()) {
            codes = text;
            for (int i = 0; i < output.length; i++) {
                output[i] = switch (text.charAt(i)) {
                    case 'I' -> Decision.IMPORTED;
                    case 'K' -> Decision.KNOWN;
                    case 'H' -> Decision.HELD;
                    case 'O' -> Decision.OVER;
                    default -> new ImportResult.StoreError(errors.refused("import", "the server gave no reason"));
                };
            }
            return;
        }
        for (int i = 0; i < output.length; i++) {
            if (codes.charAt(i) == 'E') {
                output[i] = new ImportResult.StoreError(errors.refused("import", text));
            }
        }
    }
}
