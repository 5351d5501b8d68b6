@NullMarked
package io.dedup.store.redis.internal.server;

import org.jspecify.annotations.NullMarked;
