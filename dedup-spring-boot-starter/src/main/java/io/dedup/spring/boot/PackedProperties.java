package io.dedup.spring.boot;

import org.jspecify.annotations.Nullable;

/** {@code dedup.redis.packed}: completed records that share keys. Not thread-safe. */
public class PackedProperties {
    /** How many records the namespace will have at a time. If set, completed records without a result or a fingerprint are packed, which takes about a fifth of the memory. Fixed by the first start; all applications of the namespace need the same. If unset: each record has a key of its own. */
    private @Nullable Long expectedIds;

    /** Whether completed records are packed. With false, packed records are only found: for the time in which not all applications of the namespace can read them. */
    private boolean write = true;

    public @Nullable Long getExpectedIds() {
        return expectedIds;
    }

    public void setExpectedIds(@Nullable Long expectedIds) {
        this.expectedIds = expectedIds;
    }

    public boolean isWrite() {
        return write;
    }

    public void setWrite(boolean write) {
        this.write = write;
    }
}
