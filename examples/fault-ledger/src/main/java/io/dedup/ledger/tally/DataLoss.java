package io.dedup.ledger.tally;

/**
 * A deletion of the stores' records.
 *
 * @param begin by this host's clock, in milliseconds; not later than it began
 * @param end not earlier than it was over
 */
public record DataLoss(long begin, long end) {}
