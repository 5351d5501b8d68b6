/** The servers that hold records: which they are, and what they report about themselves. */
@NullMarked
package io.dedup.store.redis.internal.server;

import org.jspecify.annotations.NullMarked;
