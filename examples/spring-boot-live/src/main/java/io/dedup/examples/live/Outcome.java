package io.dedup.examples.live;

/**
 * What happened to a message. A line of JSON on the consumer's standard output, and an event of the page.
 *
 * @param id as the sender wrote it, so anything at all; or the hash that the store keeps of a long one
 */
record Outcome(String topic, String what, String id) {
    /** The consumer has its partitions, and can be asked to replay. */
    static final String ASSIGNED = "assigned";

    static final String DELIVERED = "delivered";
    static final String DUPLICATE = "duplicate";
    static final String DEFERRED = "deferred";
    static final String FAILED = "failed";
}
