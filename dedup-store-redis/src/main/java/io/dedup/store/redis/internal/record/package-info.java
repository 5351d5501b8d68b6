/** The records: how their keys and values are written, and the scripts that read and change them. */
@NullMarked
package io.dedup.store.redis.internal.record;

import org.jspecify.annotations.NullMarked;
