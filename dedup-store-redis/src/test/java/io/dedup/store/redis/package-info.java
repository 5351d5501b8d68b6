@NullMarked
package io.dedup.store.redis;

import org.jspecify.annotations.NullMarked;
