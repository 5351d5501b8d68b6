@NullMarked
package io.dedup.store.redis.internal.client;

import org.jspecify.annotations.NullMarked;
