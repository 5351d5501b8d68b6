/** Tests of how times are summed up. */
@NullMarked
package io.dedup.benchmarks.latency;

import org.jspecify.annotations.NullMarked;
