package io.dedup.simulation.draw;

import io.dedup.policy.OnMissingId;

/** What the policy says of messages without an ID, in a run that has some. */
public enum MissingIds {
    /** Every message has an ID. */
    NONE(OnMissingId.FAIL),
    FAIL(OnMissingId.FAIL),
    PROCESS(OnMissingId.PROCESS),
    SKIP(OnMissingId.SKIP);

    private final OnMissingId policy;

    MissingIds(OnMissingId policy) {
        this.policy = policy;
    }

    public OnMissingId policy() {
        return policy;
    }
}
