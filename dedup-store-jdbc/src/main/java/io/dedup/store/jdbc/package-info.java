/** A store on a relational database: {@link io.dedup.store.jdbc.JdbcDedupStore}. */
@NullMarked
package io.dedup.store.jdbc;

import org.jspecify.annotations.NullMarked;
