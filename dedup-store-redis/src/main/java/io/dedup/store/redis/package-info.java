/**
 * The dedup store for Redis 6.2 or newer: standalone, replicated with sentinels, or a cluster.
 *
 * <p>Status: stable.
 *
 * @since 0.1.0
 */
@NullMarked
package io.dedup.store.redis;

import org.jspecify.annotations.NullMarked;
