package io.dedup.ledger.plan;

import java.time.Duration;

/**
 * What a message makes its handler do.
 *
 * @param before how long it works before the effect
 * @param after how long it works after it
 * @param failures how often it fails in each process
 * @param poison whether it never succeeds
 */
public record Message(String id, Duration before, Duration after, int failures, boolean poison) {
    /** For the record's value. */
    public String value() {
        return before.toMillis() + "," + after.toMillis() + "," + failures + "," + poison;
    }

    /** From the record. */
    public static Message of(String id, String value) {
        String[] parts = value.split(",", -1);
        return new Message(
                id,
                Duration.ofMillis(Long.parseLong(parts[0])),
                Duration.ofMillis(Long.parseLong(parts[1])),
                Integer.parseInt(parts[2]),
                Boolean.parseBoolean(parts[3]));
    }
}
