/** What the store asks of a database, and the parts that several databases share. */
@NullMarked
package io.dedup.store.jdbc.internal.dialect;

import org.jspecify.annotations.NullMarked;
