package io.dedup.kafka.model;

/** What may go wrong, each a limited number of times. */
enum Fault {
    /** The group's partitions are assigned anew. */
    REBALANCE(0),
    /** A process dies. */
    CRASH(1),
    /** The group removes a consumer whose process lives: it didn't poll for too long. */
    EVICTION(2),
    /** Another thread wakes a consumer up. */
    WAKE_UP(3),
    /** The lease of a live process's claim runs out, as in a pause. */
    LEASE_EXPIRY(4),
    /** An answer of the store is lost. */
    LOST_ANSWER(5),
    /** A commit of offsets gets no answer. */
    COMMIT_TIME_OUT(6),
    /** A handler throws. */
    HANDLER_FAILURE(7);

    /** Its place among the faults. */
    final int number;

    Fault(int number) {
        this.number = number;
    }
}
