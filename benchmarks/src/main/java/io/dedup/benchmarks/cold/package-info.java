/** A listener in a JVM of its own, from its first record on. */
@NullMarked
package io.dedup.benchmarks.cold;

import org.jspecify.annotations.NullMarked;
