/** Tests of what is counted during a failover. */
@NullMarked
package io.dedup.benchmarks.failover;

import org.jspecify.annotations.NullMarked;
