package io.dedup.ledger.tally;

/** Where a copy of a message is. */
public record SentCopy(String id, int partition, long offset) {}
