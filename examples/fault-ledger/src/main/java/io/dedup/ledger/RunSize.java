package io.dedup.ledger;

/** How much is sent and broken; with the seed, all that a run depends on but time. */
public record RunSize(int messages, int faults, long seed) {}
