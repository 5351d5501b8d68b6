package io.dedup.failover.plan;

/**
 * How much one pass does.
 *
 * @param failovers one after the other
 * @param rate messages a second, copies aside
 * @param seed decides which messages are sent again, and when
 */
public record Size(int failovers, int rate, long seed) {}
