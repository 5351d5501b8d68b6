/** How long a claim takes while more and more IDs are stored. */
@NullMarked
package io.dedup.benchmarks.latency;

import org.jspecify.annotations.NullMarked;
