/**
 * A store on a relational database: {@link io.dedup.store.jdbc.JdbcDedupStore}.
 *
 * <p>Status: stable.
 *
 * @since 0.1.0
 */
@NullMarked
package io.dedup.store.jdbc;

import org.jspecify.annotations.NullMarked;
