package io.dedup.protocol;

import io.dedup.DedupKey;
import org.jspecify.annotations.Nullable;

/** A message on the broker. */
final class Copy {
    final DedupKey key;
    final int number;
    boolean acked;
    /** Who has it now; null when it is to be delivered. */
    @Nullable
    Node with;

    Copy(DedupKey key, int number) {
        this.key = key;
        this.number = number;
    }

    @Override
    public String toString() {
        return key.messageId() + "#" + number;
    }
}
