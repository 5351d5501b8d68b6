package io.dedup.internal.step;

import io.dedup.DedupKey;
import io.dedup.step.StepLog;
import io.dedup.text.Printable;
import io.dedup.text.Utf8;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The names of steps, and the keys that callees recognize them by. */
public final class StepKeys {
    private StepKeys() {}

    static void requireName(String name) {
        int length = Utf8.lengthOrMinusOne(name);
        boolean usable = length >= 1
                && length <= StepLog.MAX_NAME_BYTES
                && name.chars().noneMatch(Character::isISOControl)
                && !name.isBlank();
        if (!usable) {
            throw new IllegalArgumentException("the name of a step must be 1 to " + StepLog.MAX_NAME_BYTES
                    + " bytes of UTF-8 without control characters, but is " + Printable.of(name));
        }
    }

    /** The key of a step: a digest of scope, message ID and name, each with its length, so that no two have the same. */
    public static String of(@Nullable DedupKey key, String name) {
        requireName(name);
        if (key == null) {
            throw new IllegalStateException("step " + name + " has no key: its message has no usable ID");
        }
        List<byte[]> parts =
                List.of(bytes("dedup step 1"), bytes(key.scope().text()), bytes(key.messageId()), bytes(name));
        ByteBuffer all = ByteBuffer.allocate(
                parts.stream().mapToInt(part -> Integer.BYTES + part.length).sum());
        parts.forEach(part -> all.putInt(part.length).put(part));
        return Base64.getUrlEncoder().withoutPadding().encodeToString(Utf8.sha256(all.array()));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
