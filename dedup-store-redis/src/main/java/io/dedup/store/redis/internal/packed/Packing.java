package io.dedup.store.redis.internal.packed;

/** Whether a store knows the packed form. */
public enum Packing {
    /** Every record has a key of its own. */
    OFF,
    /** Packed records are found, but none is written: until all processes can read them. */
    READ,
    /** Completed records are packed. */
    WRITE;

    public boolean reads() {
        return this != OFF;
    }

    public boolean writes() {
        return this == WRITE;
    }
}
