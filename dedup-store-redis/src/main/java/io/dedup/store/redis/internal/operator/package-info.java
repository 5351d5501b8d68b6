/** Operators' commands that scan all keys of a namespace. */
@NullMarked
package io.dedup.store.redis.internal.operator;

import org.jspecify.annotations.NullMarked;
