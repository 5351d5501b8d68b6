/** The dedup store for Redis 6.2 or newer: standalone, replicated with sentinels, or a cluster. */
@NullMarked
package io.dedup.store.redis;

import org.jspecify.annotations.NullMarked;
