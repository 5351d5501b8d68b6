package io.dedup.failover.redis;

/** What consumers keep in Redis. */
enum RedisRecords {
    /** Mode LEASED. */
    LEASED,
    /** Mode LEASED with {@code waitForReplicas}. */
    LEASED_CONFIRMED,
    /** Mode TIERED, in front of PostgreSQL. */
    TIERED
}
