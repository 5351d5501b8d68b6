/** Checks what stands between the store and its database: a pooler that shares sessions, a cluster of several writers. */
@NullMarked
package io.dedup.store.jdbc.internal.intermediary;

import org.jspecify.annotations.NullMarked;
