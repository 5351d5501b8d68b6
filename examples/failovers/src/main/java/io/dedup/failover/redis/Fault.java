package io.dedup.failover.redis;

import io.dedup.testservers.redis.RedisServer;

/** What happens to a primary. */
enum Fault {
    /** {@code kill -9}. */
    KILL("primary killed"),
    /**
     * It is stopped until its replica has been promoted. Then it continues and acts as the primary, until the sentinels
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
