/** The operations that the store needs of a database, and what several databases share. */
@NullMarked
package io.dedup.store.jdbc.internal.dialect;

import org.jspecify.annotations.NullMarked;
