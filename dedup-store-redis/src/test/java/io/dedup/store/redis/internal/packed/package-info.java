@NullMarked
package io.dedup.store.redis.internal.packed;

import org.jspecify.annotations.NullMarked;
