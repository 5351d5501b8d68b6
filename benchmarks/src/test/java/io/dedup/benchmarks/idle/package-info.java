/** Tests of what an idle application reports. */
@NullMarked
package io.dedup.benchmarks.idle;

import org.jspecify.annotations.NullMarked;
