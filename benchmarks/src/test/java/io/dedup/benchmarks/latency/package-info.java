/** Tests of the summary of times. */
@NullMarked
package io.dedup.benchmarks.latency;

import org.jspecify.annotations.NullMarked;
