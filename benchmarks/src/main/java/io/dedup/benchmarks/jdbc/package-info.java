/** Databases, and what the store sends to them, sent again by plain JDBC. */
@NullMarked
package io.dedup.benchmarks.jdbc;

import org.jspecify.annotations.NullMarked;
