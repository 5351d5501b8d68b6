package io.dedup.step;

/** What happened to a step of a handler. */
public enum StepOutcome {
    /** Its function ran, and the step is kept. */
    RUN("run"),
    /** An earlier attempt had kept it, so that its function did not run. */
    KEPT("kept"),
    /** Its function threw, or its kept result could not be read: nothing is kept. */
    FAILED("failed"),
    /** Its function ran, and the store has not kept it: another attempt runs it again, unless a later write keeps it. */
    UNRECORDED("unrecorded"),
    /** Its function ran, and the store rejected it, because another consumer has taken over the message. */
    LEASE_LOST("lease_lost");

    private final String tag;

    StepOutcome(String tag) {
        this.tag = tag;
    }

    /** Returns the outcome as metrics name it. */
    public String tag() {
        return tag;
    }
}
