/** Checks at start: the class path, the servers, and the attempt retention of the namespace. */
@NullMarked
package io.dedup.store.redis.internal.check;

import org.jspecify.annotations.NullMarked;
