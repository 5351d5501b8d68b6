/** Removes expired records. */
@NullMarked
package io.dedup.store.jdbc.internal.purge;

import org.jspecify.annotations.NullMarked;
