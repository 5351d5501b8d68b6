/** Redis: the store, and the store's commands sent by the bare driver. */
@NullMarked
package io.dedup.benchmarks.redis;

import org.jspecify.annotations.NullMarked;
