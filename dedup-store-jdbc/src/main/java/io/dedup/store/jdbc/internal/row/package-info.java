/** A row of the table, and the transitions of the protocol from one row to the next. */
@NullMarked
package io.dedup.store.jdbc.internal.row;

import org.jspecify.annotations.NullMarked;
