package io.dedup.testkit.plan;

/** What goes wrong in a fault plan. */
public enum Fault {
    /** SIGKILL of a process of the application, which is started again at once. Needs an application of its own. */
    KILL(true, false),
    /** SIGSTOP of a process of the application, as in a long garbage collection. Needs an application of its own. */
    PAUSE(true, false),
    /** Other members join the consumer group, take partitions, and leave. */
    REBALANCE(false, false),
    /** A store's connections are closed and refused, or hang, or are half open, or its answers are lost. Needs a store. */
    STORE_CUT(false, true),
    /** A store answers 6 to 60 ms later. Needs a store. */
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
