/** Redis, and what the store sends to it, sent again by the bare driver. */
@NullMarked
package io.dedup.benchmarks.redis;

import org.jspecify.annotations.NullMarked;
