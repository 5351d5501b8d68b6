/** Measures threads that share calls of the store. */
@NullMarked
package io.dedup.benchmarks.shared;

import org.jspecify.annotations.NullMarked;
