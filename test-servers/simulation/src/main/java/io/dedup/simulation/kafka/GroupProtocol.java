package io.dedup.simulation.kafka;

/** How a group's rebalances take partitions away. */
public enum GroupProtocol {
    /** All partitions are revoked before any is assigned. */
    EAGER,
    /** Only the partitions that move are revoked; the others are read on meanwhile. */
    COOPERATIVE
}
