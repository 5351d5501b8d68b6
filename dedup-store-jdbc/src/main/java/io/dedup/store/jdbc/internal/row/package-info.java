/** A row of the table, and what the protocol makes of it. */
@NullMarked
package io.dedup.store.jdbc.internal.row;

import org.jspecify.annotations.NullMarked;
