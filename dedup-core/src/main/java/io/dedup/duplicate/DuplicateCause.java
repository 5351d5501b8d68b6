package io.dedup.duplicate;

/** Why a message arrived again. Only what is known: without proof, the cause is {@link #UNKNOWN}. */
public enum DuplicateCause {
    /** The broker delivered the same message again, as far as is known before it was committed: a rebalance, a crash, a retry. */
    REDELIVERED("redelivered"),
    /** Another message with the same ID: a producer sent it again. */
    RESENT("resent"),
    /** The broker delivered the same message again after it was committed: somebody has set the consumer group back. */
    REPLAYED("replayed"),
    /** The copy arrived while the message was being handled elsewhere, and waited for that run. */
    CONCURRENT("concurrent"),
    /** The record does not say where the message was handled first, or the copy has no place. */
    UNKNOWN("unknown");

    private final String tag;

    DuplicateCause(String tag) {
        this.tag = tag;
    }

    /** Returns the cause as metrics name it. */
    public String tag() {
        return tag;
    }
}
