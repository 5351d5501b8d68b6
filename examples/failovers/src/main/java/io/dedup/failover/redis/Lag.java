package io.dedup.failover.redis;

import java.util.concurrent.TimeUnit;

/** How far the replica is behind when the primary dies. */
enum Lag {
    /** Whatever it happens to be. */
    NONE,
    /** The replica receives nothing in the last second. */
    SECOND;

    /** Before a primary dies; returns the time from which on the replica may lack what was written. */
    long before(Runnable holdReplicaBack) throws InterruptedException {
        long from = System.currentTimeMillis();
        if (this == SECOND) {
            holdReplicaBack.run();
            TimeUnit.SECONDS.sleep(1);
        }
        return from;
    }

    /** When the primary is gone. */
    void after(Runnable resumeReplica) {
        if (this == SECOND) {
            resumeReplica.run();
        }
    }
}
