/** Clients and the connections they open: to a standalone server, through sentinels, or to a cluster. */
@NullMarked
package io.dedup.store.redis.internal.client;

import org.jspecify.annotations.NullMarked;
