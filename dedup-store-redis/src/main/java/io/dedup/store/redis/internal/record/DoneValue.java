package io.dedup.store.redis.internal.record;

import io.dedup.Fingerprint;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The value of a DONE record: a number, or {@code D,<ms>,<attempt>,<fingerprint>}, or
 * {@code R,<ms>,<attempt>,<fingerprint>,<result>}.
 *
 * <p>The number is what most records are: milliseconds since {@link #EPOCH_MILLIS} times {@link #ATTEMPTS} plus the
 * attempt. Redis keeps it in the object's header, and up to the year 2163 it fits a double, which is all Lua has.
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record DoneValue(Instant completedAt, int attempt, @Nullable Fingerprint fingerprint, byte @Nullable [] result) {
    /** 2024-01-01T00:00:00Z. */
    static final long EPOCH_MILLIS = 1_704_067_200_000L;

    /** What the scripts answer of a value that another program wrote, as far as they notice. */
    static final String FOREIGN = "the key holds a value that is not a record of this store";

    /** One more than the attempts that fit the number; a record of more is written as text. */
    static final int ATTEMPTS = 2_048;

    /** Whether the value is that of a DONE record, by its beginning: {@link #parse} throws if the rest isn't. */
    static boolean isDone(byte[] value) {
        return value.length > 0 && (isNumber(value) || value[0] == 'D' || value[0] == 'R');
    }

    private static boolean isNumber(byte[] value) {
        return value[0] >= '0' && value[0] <= '9';
    }

    static DoneValue parse(byte[] value) {
        if (isNumber(value)) {
            long packed = Long.parseLong(new String(value, StandardCharsets.US_ASCII));
            return new DoneValue(
                    Instant.ofEpochMilli(packed / ATTEMPTS + EPOCH_MILLIS), (int) (packed % ATTEMPTS), null, null);
        }
        int attemptAt = comma(value, 2) + 1;
        int fingerprintAt = comma(value, attemptAt) + 1;
        boolean hasResult = value[0] == 'R';
        int fingerprintEnd = hasResult ? comma(value, fingerprintAt) : value.length;
        String fingerprint = ascii(value, fingerprintAt, fingerprintEnd);
        return new DoneValue(
                Instant.ofEpochMilli(Long.parseLong(ascii(value, 2, attemptAt - 1))),
                Integer.parseInt(ascii(value, attemptAt, fingerprintAt - 1)),
                fingerprint.isEmpty() ? null : new Fingerprint(fingerprint),
                hasResult ? Arrays.copyOfRange(value, fingerprintEnd + 1, value.length) : null);
    }

    private static int comma(byte[] value, int from) {
        for (int i = from; i < value.length; i++) {
            if (value[i] == ',') {
                return i;
            }
        }
        throw new IllegalArgumentException("a DONE value has too few fields");
    }

    private static String ascii(byte[] value, int from, int to) {
        return new String(value, from, to - from, StandardCharsets.US_ASCII);
    }
}
