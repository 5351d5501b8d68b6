/** The packed form of completed records: entries of buckets instead of keys of their own. */
@NullMarked
package io.dedup.store.redis.internal.packed;

import org.jspecify.annotations.NullMarked;
