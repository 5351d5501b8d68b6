package io.dedup.simulation.draw;

/**
 * What the policy says of messages without an ID, in a run that has some: the constants of {@code OnMissingId}, which the simulation of
 * RocketMQ has from a class loader of its own.
 */
public enum MissingIds {
    /** Every message has an ID. */
    NONE,
    FAIL,
    PROCESS,
    SKIP
}
