package io.dedup.failover.redis;

import io.dedup.testservers.redis.RedisServer;

/** What happens to a primary. */
enum Fault {
    /** {@code kill -9}. */
    KILL("primary killed"),
    /**
     * It stands still until its replica was promoted. Then it goes on and takes itself for the primary, until the others
     * make it a replica: a split brain.
     */
    PAUSE("primary paused");

    private final String text;

    Fault(String text) {
        this.text = text;
    }

    String text() {
        return text;
    }

    void strike(RedisServer primary) {
        if (this == KILL) {
            primary.kill();
        } else {
            primary.pause();
        }
    }
}
