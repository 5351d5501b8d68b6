package io.dedup.examples.live;

/**
 * One step in the life of a message. A line of JSON on the consumer's standard output.
 *
 * @param id as the sender wrote it, so any text; or the hash that the store keeps of a long ID
 * @param cause why a message is a duplicate; empty for other steps
 */
record Outcome(String topic, String group, String what, String id, String cause) {
    /** The listener has its partitions, and can replay its topic. */
    static final String ASSIGNED = "assigned";

    static final String DELIVERED = "delivered";
    static final String CLAIMED = "claimed";
    static final String HANDLED = "handled";
    static final String DUPLICATE = "duplicate";
    static final String DEFERRED = "deferred";
    static final String FAILED = "failed";

    Outcome(String topic, String group, String what, String id) {
        this(topic, group, what, id, "");
    }

    Outcome(Topics.Subscription subscription, String what, String id) {
        this(subscription.topic(), subscription.group(), what, id);
    }
}
