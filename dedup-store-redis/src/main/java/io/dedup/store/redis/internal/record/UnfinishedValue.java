package io.dedup.store.redis.internal.record;

import io.dedup.Fingerprint;
import io.dedup.store.Owner;
import io.dedup.store.StoredRecord;
import io.dedup.store.StoredRecord.State;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The value of a record that isn't DONE: {@code <phase><owner>,<attempt>,<deaths>,<token>,<fingerprint>}, and {@code ;<steps>;} if it
 * has some. The phase is F
 * (released), X (dead, given back), P (processing) or T (the same after a takeover); owner and fingerprint may be missing. A zero
 * before the deaths of X and T says that the takeover counted none; older versions read the number as it is, and count one.
 */
final class UnfinishedValue {
    private UnfinishedValue() {}

    /**
     * Reads it.
     *
     * @param timeToLive of the key, in milliseconds
     * @return null when it isn't such a value
     */
    static @Nullable StoredRecord parse(byte[] value, long timeToLive, long retentionMillis) {
        int end = end(value, 4);
        String text = new String(value, 0, end, StandardCharsets.US_ASCII);
        if (!text.matches("[FXPT][^,]*,\\d+,\\d+,\\d+,[\\w-]*")) {
            return null;
        }
        try {
            return record(text, timeToLive, retentionMillis, steps(value, end));
        } catch (IllegalArgumentException e) { // not written by this store: an invalid number or owner
            return null;
        }
    }

    /** The end of a value's fields: that of the value, unless steps follow. An owner may have a semicolon, what comes later has none. */
    static int end(byte[] value, int commas) {
        int seen = 0;
        for (int i = 0; i < value.length; i++) {
            if (value[i] == ',') {
                seen++;
            } else if (value[i] == ';' && seen >= commas) {
                return i;
            }
        }
        return value.length;
    }

    /** The steps behind the fields, which are between two semicolons; null if there are none. */
    static byte @Nullable [] steps(byte[] value, int end) {
        return end == value.length ? null : Arrays.copyOfRange(value, end + 1, Math.max(end + 1, value.length - 1));
    }

    private static StoredRecord record(String text, long timeToLive, long retentionMillis, byte @Nullable [] steps) {
        String[] parts = text.split(",", 5);
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
                null,
                steps);
    }
}
