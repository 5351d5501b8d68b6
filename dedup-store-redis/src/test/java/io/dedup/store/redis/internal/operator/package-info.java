@NullMarked
package io.dedup.store.redis.internal.operator;

import org.jspecify.annotations.NullMarked;
