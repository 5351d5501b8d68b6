/** Measures contenders in turns, so that a disturbance of the machine affects all of them. */
@NullMarked
package io.dedup.benchmarks.measure;

import org.jspecify.annotations.NullMarked;
