package io.dedup.failover.plan;

/**
 * A message took effect.
 *
 * @param attempt what the handler's context said
 * @param millis the time, by this machine's clock
 */
public record Effect(String id, int attempt, long millis) {}
