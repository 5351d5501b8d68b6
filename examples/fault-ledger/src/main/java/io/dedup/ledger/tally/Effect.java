package io.dedup.ledger.tally;

/**
 * One effect.
 *
 * @param attempt what its handler was told; 0 for nothing
 * @param millis when, by this host's clock
 */
public record Effect(String id, int attempt, long millis) {}
