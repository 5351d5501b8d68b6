package io.dedup.testkit.plan;

/** A kind of fault in a fault plan. */
public enum Fault {
    /**
     * Kills a process of the application (SIGKILL), and restarts it at once: at a random moment, or between two steps of a handler if
     * {@link FaultRun#step} counts these. Needs the application to run in its own
     * processes.
     */
    KILL(true, false),
    /**
     * Pauses a process of the application (SIGSTOP), as a long garbage collection would. Needs the application to run
     * in its own processes.
     */
    PAUSE(true, false),
    /**
     * Other members join the consumer group, are assigned partitions, and leave. Needs more partitions than the group has
     * members.
     */
    REBALANCE(false, false),
    /**
     * A store's connections are closed and refused, or hang, or are half open, or its replies are lost. Needs a store.
     */
    STORE_CUT(false, true),
    /** A store's answers are delayed by 6 to 60 ms. Needs a store. */
    SLOW_STORE(false, true),
    /** The producer sends messages again: at once, a little later, or much later. Lasts through the whole plan. */
    COPIES(false, false);

    private final boolean hitsProcess;
    private final boolean hitsStore;

    Fault(boolean hitsProcess, boolean hitsStore) {
        this.hitsProcess = hitsProcess;
        this.hitsStore = hitsStore;
    }

    boolean hitsProcess() {
        return hitsProcess;
    }

    boolean hitsStore() {
        return hitsStore;
    }
}
