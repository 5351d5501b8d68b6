package io.dedup.store.redis.internal.record;

import io.dedup.Fingerprint;
import io.dedup.store.Owner;
import io.dedup.store.StoredRecord;
import io.dedup.store.StoredRecord.State;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The value of a record that isn't DONE: {@code <phase><owner>,<attempt>,<deaths>,<token>,<fingerprint>}. The phase is F
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
        String text = new String(value, StandardCharsets.US_ASCII);
        if (!text.matches("[FXPT][^,]*,\\d+,\\d+,\\d+,[\\w-]*")) {
            return null;
        }
        try {
            return record(text, timeToLive, retentionMillis);
        } catch (IllegalArgumentException e) { // not written by this store: an invalid number or owner
            return null;
        }
    }

    private static StoredRecord record(String text, long timeToLive, long retentionMillis) {
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
                null);
    }
}
