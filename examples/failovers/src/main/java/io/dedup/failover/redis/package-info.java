/** Failovers of Redis: sentinels, a cluster, and a cluster whose slots move. */
@NullMarked
package io.dedup.failover.redis;

import org.jspecify.annotations.NullMarked;
