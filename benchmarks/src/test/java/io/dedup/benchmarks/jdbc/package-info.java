@NullMarked
package io.dedup.benchmarks.jdbc;

import org.jspecify.annotations.NullMarked;
