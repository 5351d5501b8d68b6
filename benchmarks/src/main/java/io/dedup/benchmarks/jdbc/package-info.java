/** Databases: the store, and the store's statements sent by plain JDBC. */
@NullMarked
package io.dedup.benchmarks.jdbc;

import org.jspecify.annotations.NullMarked;
