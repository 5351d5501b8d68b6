package io.dedup.ledger;

/**
 * A deletion of what was remembered.
 *
 * @param begin by this host's clock, in milliseconds; not later than it began
 * @param end not earlier than it was over
 */
record Loss(long begin, long end) {}
