/** Measures contenders in turns, so that what disturbs the machine disturbs all of them. */
@NullMarked
package io.dedup.benchmarks.measure;

import org.jspecify.annotations.NullMarked;
