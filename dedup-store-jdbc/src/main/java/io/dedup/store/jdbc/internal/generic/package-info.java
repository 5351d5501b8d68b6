/** The dialect of H2 and of databases that offer nothing but standard SQL. */
@NullMarked
package io.dedup.store.jdbc.internal.generic;

import org.jspecify.annotations.NullMarked;
