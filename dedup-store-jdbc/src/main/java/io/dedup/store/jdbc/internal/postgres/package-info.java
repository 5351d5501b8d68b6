/** The dialect of PostgreSQL. */
@NullMarked
package io.dedup.store.jdbc.internal.postgres;

import org.jspecify.annotations.NullMarked;
