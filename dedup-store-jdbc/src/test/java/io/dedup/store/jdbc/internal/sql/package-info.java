/** How keys and names are written. */
@NullMarked
package io.dedup.store.jdbc.internal.sql;

import org.jspecify.annotations.NullMarked;
