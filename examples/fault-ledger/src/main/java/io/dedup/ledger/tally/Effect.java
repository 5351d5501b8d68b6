package io.dedup.ledger.tally;

/**
 * One effect.
 *
 * @param attempt what its handler was given; 0 for none
 * @param millis when, by this host's clock
 */
public record Effect(String id, int attempt, long millis) {}
