/** How long messages take: while more and more IDs are stored, beside a purge, and at a steady rate. */
@NullMarked
package io.dedup.benchmarks.latency;

import org.jspecify.annotations.NullMarked;
