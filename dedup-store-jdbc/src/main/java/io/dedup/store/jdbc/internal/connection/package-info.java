/** The store's own connections and what it knows about the pool that lends them. */
@NullMarked
package io.dedup.store.jdbc.internal.connection;

import org.jspecify.annotations.NullMarked;
