package io.dedup.benchmarks.failover;

import io.dedup.benchmarks.subject.HandlingStore;

/** A store on a primary with a replica. */
interface FailingStore extends HandlingStore {
    /** Kills the primary, and returns when the replica has taken its place. Once only. */
    void failOver() throws InterruptedException;
}
