@NullMarked
package io.dedup.store.redis.internal.check;

import org.jspecify.annotations.NullMarked;
