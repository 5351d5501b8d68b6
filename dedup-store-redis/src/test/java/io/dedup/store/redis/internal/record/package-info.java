/** How keys and values are written. */
@NullMarked
package io.dedup.store.redis.internal.record;

import org.jspecify.annotations.NullMarked;
